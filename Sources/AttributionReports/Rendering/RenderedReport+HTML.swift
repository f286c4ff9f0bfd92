import Attribution

extension RenderedReport {
    /// Writes the report as a document for a mail or a browser, without scripts, which loads nothing.
    ///
    /// Mail programs keep attributes and little of a style sheet, so that alignment and bars do not depend on it.
    func writeHTML(to output: (String) -> Void) {
        let style = TextStyle(width: TextStyle.widths.upperBound)
        let heading = (standardName?.title ?? "Report").escapedHTML
        output(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(heading)</title>
            <style>\(styleSheet)</style>
            </head>
            <body>
            <h1>\(heading)</h1>

            """)
        for line in [title(style), asOfLine(style)] + introduction {
            output("<p>\(line.escapedHTML)</p>\n")
        }
        for warning in warnings {
            output("<p><strong>WARNING: \(warning.escapedHTML).</strong></p>\n")
        }
        for section in sections {
            write(section, HTMLTable(section, hasEveryFigure: selection.figures != nil), to: output)
        }
        for line in conclusion {
            output("<p>\(line.escapedHTML)</p>\n")
        }
        output("</body>\n</html>\n")
    }

    private func write(_ section: ReportSection, _ table: HTMLTable, to output: (String) -> Void) {
        output("<section id=\"\(section.name.escapedHTML)\">\n<h2>\(section.title.escapedHTML)</h2>\n")
        output("<p>\(section.meaning.escapedHTML)</p>\n")
        output("<table cellpadding=\"4\" cellspacing=\"0\">\n<thead>\n\(table.header)</thead>\n<tbody>\n")
        for row in section.rows {
            output(table.row(row))
        }
        output("</tbody>\n")
        if let totals = section.totals {
            output("<tfoot>\n\(table.totals(totals))</tfoot>\n")
        }
        output("</table>\n")
        let lines = [section.omittedRowsLine, table.omittedLine, table.unsignedLine].compactMap(\.self)
        for line in lines + section.notes {
            output("<p>\(line.escapedHTML)</p>\n")
        }
        if isExplained {
            output("<dl>\n")
            for (column, text) in section.definitions where table.has(column) {
                output("<dt>\(column.title.escapedHTML)</dt><dd>\(text.escapedHTML)</dd>\n")
            }
            output("</dl>\n")
        }
        output("</section>\n")
    }
}

/// The few columns of a section that a person looks at, with a bar for the main figure of each row.
private struct HTMLTable {
    private let layout: SectionLayout
    /// The indices of the columns in the layout that are shown.
    private let shown: [Int]
    private let omittedCount: Int
    /// The index in the layout of the figure with bars; nil for no bars.
    private let main: Int?
    private let greatest: Double

    /// How many figures are shown, each with its previous one.
    private static let figures = 4
    /// The length of the longest bar, in pixels.
    private static let longestBar = 120.0

    /// Lays out a section: its keys, but those that no row has, and its first figures, or all of them.
    init(_ section: ReportSection, hasEveryFigure: Bool) {
        let layout = SectionLayout(section)
        var figures = 0
        shown = layout.columns.indices.filter { index in
            let column = layout.columns[index]
            guard !column.isText else {
                // The first column has the word total.
                return index == 0 || section.rows.contains { !column.cell($0).text.isEmpty }
            }
            figures += column.isPrevious ? 0 : 1
            return hasEveryFigure || figures <= Self.figures
        }
        omittedCount = max(0, figures - (hasEveryFigure ? figures : Self.figures))
        // Amounts may be in several currencies, which no common scale has.
        let counts = shown.filter { layout.columns[$0].column.kind == .count && !layout.columns[$0].isPrevious }
        let main = counts.first { layout.columns[$0].name == section.chart?.value } ?? counts.first
        greatest = main.flatMap { main in section.rows.compactMap { layout.columns[main].cell($0).number }.max() } ?? 0
        self.main = section.rows.count > 1 && greatest > 0 ? main : nil
        self.layout = layout
    }

    /// Whether a column is shown.
    func has(_ column: ReportColumn) -> Bool {
        shown.contains { layout.columns[$0].column.name == column.name }
    }

    /// That there are more figures; nil if there are none.
    var omittedLine: String? {
        omittedCount == 0 ? nil : "… and \(omittedCount) more figure\(omittedCount == 1 ? "" : "s"), in csv and json."
    }

    /// What the mark in the header means; nil for a header without one.
    var unsignedLine: String? {
        let titles = shown.map { layout.columns[$0] }.filter { $0.column.basis == .unsigned && !$0.isPrevious }
            .map(\.title)
        return titles.isEmpty ? nil : "* Not signed by Apple: \(titles.joined(separator: ", "))."
    }

    var header: String {
        line { column, index in
            let mark = column.column.basis == .unsigned ? " *" : ""
            let bars = index == main ? "<td></td>" : ""
            return "<th scope=\"col\"\(Self.alignment(column))>\((column.title + mark).escapedHTML)</th>" + bars
        }
    }

    func row(_ row: ReportSectionRow) -> String {
        line { column, index in
            let cell = column.cell(row)
            return Self.cell(cell == .key("") ? "–" : cell.text, column, isFirst: index == 0)
                + (index == main ? bar(cell.number ?? 0) : "")
        }
    }

    func totals(_ row: ReportSectionRow) -> String {
        let texts = layout.totals(row)
        return line { column, index in
            Self.cell(texts[index], column, isFirst: index == 0) + (index == main ? "<td></td>" : "")
        }
    }

    private func line(_ cell: (SectionLayout.Column, Int) -> String) -> String {
        "<tr>" + shown.map { cell(layout.columns[$0], $0) }.joined() + "</tr>\n"
    }

    private static func cell(_ text: String, _ column: SectionLayout.Column, isFirst: Bool) -> String {
        let (start, end) = isFirst ? ("th scope=\"row\"", "th") : ("td", "td")
        return "<\(start)\(alignment(column))>\(text.escapedHTML)</\(end)>"
    }

    /// A cell whose background is the bar: programs that show no style sheet still show a cell's colour and width.
    private func bar(_ number: Double) -> String {
        let width = Int((number / greatest * Self.longestBar).rounded())
        guard width > 0 else {
            return "<td></td>"
        }
        return "<td align=\"left\"><table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\"><tr>"
            + "<td class=\"bar\" bgcolor=\"#4c78a8\" width=\"\(width)\" height=\"12\"></td></tr></table></td>"
    }

    private static func alignment(_ column: SectionLayout.Column) -> String {
        column.isText ? " align=\"left\"" : " align=\"right\""
    }
}

extension ReportChart {
    /// The name of the column whose figures it shows.
    fileprivate var value: String {
        switch self {
        case .bars(_, let value), .line(_, let value): value
        }
    }
}

/// As wide as the tables, in the colours of the reader's own scheme.
private let styleSheet = """
    body { font-family: sans-serif; margin: 16px; } p, dl { max-width: 640px; } \
    th, td { border-bottom: 1px solid #888888; font-variant-numeric: tabular-nums; } \
    tbody th { font-weight: normal; } tfoot td { font-weight: bold; } td.bar { border-bottom: 0; }
    """
