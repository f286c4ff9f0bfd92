import Attribution
import AttributionStore

extension Report {
    /// Writes the report as a Markdown table, with notes below it.
    func writeMarkdown(to output: (String) -> Void) {
        let style = TextStyle(width: TextStyle.widths.upperBound)
        let columns = singleColumns
        let names = request.dimensions.isEmpty ? [""] : request.dimensions.map(\.rawValue)
        func line(_ cells: [String]) {
            output("| " + cells.map(\.escapingPipes).joined(separator: " | ") + " |\n")
        }
        output("**\(title(style))**\n\n\(asOfLine(style))\n\n")
        line(names + columns.map(\.name))
        line(names.map { _ in ":--" } + columns.map { _ in "--:" })
        for row in rows where !request.dimensions.isEmpty {
            line(row.values.map { style.cell($0, limit: 60) } + columns.map { $0.value(row.counts).text })
        }
        let blanks = Array(repeating: "", count: names.count - 1)
        line(["total"] + blanks + columns.map { $0.value(totals).text })
        output("\n")
        if request.showsHistogram {
            // Indented as a code block.
            output(Histogram.all(totals).flatMap { $0.lines(style) }.map { "    \($0)" }.joined() + "\n")
        }
        let notes = [omittedRowsLine].compactMap(\.self) + unseenLines + [unprovenLine]
        output((notes + deliveryLines).joined(separator: "\n\n") + "\n")
    }
}

extension String {
    fileprivate var escapingPipes: String {
        split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
