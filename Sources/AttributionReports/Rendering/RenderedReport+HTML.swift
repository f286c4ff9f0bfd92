import Attribution

extension RenderedReport {
    /// Writes the report as a document without scripts, which loads nothing.
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
            write(section, to: output)
        }
        for line in conclusion {
            output("<p>\(line.escapedHTML)</p>\n")
        }
        output("</body>\n</html>\n")
    }

    private func write(_ section: ReportSection, to output: (String) -> Void) {
        let layout = SectionLayout(section)
        output("<section id=\"\(section.name.escapedHTML)\">\n<h2>\(section.title.escapedHTML)</h2>\n")
        output("<div>\n<table>\n<caption>\(section.meaning.escapedHTML)</caption>\n<thead>\n<tr>")
        for column in layout.columns {
            let mark = column.column.basis == .unsigned ? " *" : ""
            output("<th scope=\"col\"\(alignment(column))>\((column.title + mark).escapedHTML)</th>")
        }
        output("</tr>\n</thead>\n<tbody>\n")
        for row in section.rows {
            write(layout.columns.map { ($0, $0.cell(row) == .key("") ? "–" : $0.cell(row).text) }, to: output)
        }
        output("</tbody>\n")
        if let totals = section.totals {
            output("<tfoot>\n")
            write(zip(layout.columns, layout.totals(totals)).map { ($0, $1) }, to: output)
            output("</tfoot>\n")
        }
        output("</table>\n</div>\n")
        let unsigned = section.unsignedLine.map { "* \($0)" }
        for line in [section.omittedRowsLine, unsigned].compactMap(\.self) + section.notes {
            output("<p>\(line.escapedHTML)</p>\n")
        }
        if isExplained {
            output("<dl>\n")
            for (column, text) in section.definitions {
                output("<dt>\(column.title.escapedHTML)</dt><dd>\(text.escapedHTML)</dd>\n")
            }
            output("</dl>\n")
        }
        output("</section>\n")
    }

    private func write(_ cells: [(column: SectionLayout.Column, text: String)], to output: (String) -> Void) {
        output("<tr>")
        for (index, cell) in cells.enumerated() {
            let (start, end) = index == 0 ? ("th scope=\"row\"", "th") : ("td", "td")
            output("<\(start)\(alignment(cell.column))>\(cell.text.escapedHTML)</\(end)>")
        }
        output("</tr>\n")
    }
}

private func alignment(_ column: SectionLayout.Column) -> String {
    column.isText ? " class=\"text\"" : ""
}

/// Colours of the reader's own scheme, and tables that scroll by themselves on narrow screens.
private let styleSheet = """
    :root { color-scheme: light dark; font-family: system-ui, sans-serif; } \
    body { margin: 1rem auto; max-width: 75rem; padding: 0 1rem; } \
    section > div { overflow-x: auto; } \
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; } \
    caption { text-align: left; padding: .25rem 0; } \
    th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid; } \
    th.text, td.text { text-align: left; } th[scope=row] { font-weight: normal; } tfoot { font-weight: bold; }
    """
