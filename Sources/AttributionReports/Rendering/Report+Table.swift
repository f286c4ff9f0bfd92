import Attribution

extension Report {
    /// Writes the report for a terminal, with lines no wider than the style's width.
    func writeTable(_ style: TextStyle, to output: (String) -> Void) {
        func say(_ lines: [String]) {
            output(lines.map { style.wrapped($0) + "\n" }.joined())
        }
        say([title(style), asOfLine(style)])
        output("\n")
        if rows.isEmpty && omittedRows == 0 && totals[.postbacks] == 0 {
            let isEverything = request.conditions.isEmpty && request.received == nil && request.asOf == nil
            say(["No postbacks recorded\(isEverything ? " yet" : " for these")."])
        } else {
            let layout = TableLayout(self, style)
            layout.write(to: output)
            say([omittedRowsLine, omittedColumnsLine(layout)].compactMap(\.self).map { $0.inCharacters(of: style) })
            if request.showsHistogram {
                output("\n" + Histogram.all(totals).map { $0.lines(style).joined() }.joined())
            }
        }
        output("\n")
        say(unseenLines + [unprovenLine] + deliveryLines)
    }

    private func omittedColumnsLine(_ layout: TableLayout) -> String? {
        guard let first = layout.omitted.first else {
            return nil
        }
        let count = layout.omitted.count
        return "… and \(count) more column\(count == 1 ? "" : "s"): --columns \(first),… or --format csv"
    }
}

extension String {
    /// The text with the non-ASCII characters of our messages replaced, if the style is ASCII.
    func inCharacters(of style: TextStyle) -> String {
        style.isASCII ? replacing("…", with: style.ellipsis) : self
    }
}
