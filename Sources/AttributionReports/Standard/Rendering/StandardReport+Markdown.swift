extension StandardReport {
    /// Writes the report as Markdown, a table for each section.
    func writeMarkdown(to output: (String) -> Void) {
        let style = TextStyle(width: TextStyle.widths.upperBound)
        func paragraphs(_ lines: [String]) {
            lines.forEach { output($0.escapedMarkdown + "\n\n") }
        }
        output("# \(name.title)\n\n")
        paragraphs([subject(style), asOfLine(style)] + warnings.map { "WARNING: \($0)." } + allNotes)
        for (index, section) in sections.enumerated() {
            output((index == 0 ? "" : "\n") + "## \(section.title)\n\n")
            paragraphs([section.meaning])
            writeTable(section, style, to: output)
            let lines = [section.omittedRowsLine] + section.notes + [section.unsignedLine]
            lines.compactMap(\.self).forEach { output("\n" + $0.escapedMarkdown + "\n") }
            if request.isExplained {
                output("\n")
                section.definitions.forEach { output("- `\($0.column.name)`: \($0.text.escapedMarkdown)\n") }
            }
        }
    }

    private func writeTable(_ section: ReportSection, _ style: TextStyle, to output: (String) -> Void) {
        let layout = SectionLayout(section)
        func line(_ cells: [String]) {
            output("| " + cells.map(\.escapedMarkdown).joined(separator: " | ") + " |\n")
        }
        line(layout.columns.map(\.name))
        output("| " + layout.columns.map { $0.column.kind.isText ? ":--" : "--:" }.joined(separator: " | ") + " |\n")
        for row in section.rows {
            line(
                layout.columns.map { column in
                    let text = layout.cell(column, row).text
                    return column.column.kind.isText ? style.cell(text, limit: 60) : text
                })
        }
        if let totals = section.totals {
            line(
                layout.columns.enumerated().map { index, column in
                    column.column.kind.isText ? (index == 0 ? "total" : "") : layout.cell(column, totals).text
                })
        }
    }
}

extension String {
    /// The text with the characters escaped that would end a cell, or begin markup or HTML.
    fileprivate var escapedMarkdown: String {
        var result = ""
        for scalar in unicodeScalars {
            if "|\\<>*[]`_&#".unicodeScalars.contains(scalar) {
                result += "\\"
            }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
