extension StandardReport {
    /// Writes the report for a terminal, with lines no wider than the style's width.
    func writeTable(_ style: TextStyle, to output: (String) -> Void) {
        func say(_ lines: [String]) {
            output(lines.map { style.wrapped($0.inCharacters(of: style)) + "\n" }.joined())
        }
        say([[name.title, subject(style)].joined(separator: style.separator), asOfLine(style)])
        say(warnings.map { "WARNING: \($0)." } + allNotes)
        for section in sections {
            output("\n")
            say(["\(section.title) (\(section.name)): \(section.meaning)"])
            output("\n")
            let layout = SectionTable(section, style)
            if section.rows.isEmpty {
                say(["Nothing to show."])
            } else {
                layout.table.write(to: output)
            }
            say([section.omittedRowsLine, layout.omittedLine].compactMap(\.self))
            say(section.notes + [section.unsignedLine].compactMap(\.self))
            if request.isExplained {
                say(section.definitions.map { "\($0.column.name): \($0.text)" })
            }
        }
    }
}

/// A section as a table of text.
private struct SectionTable {
    let table: TableLayout

    /// The longest text of a key.
    private static let longest = 60

    init(_ section: ReportSection, _ style: TextStyle) {
        let layout = SectionLayout(section)
        let texts = layout.columns.filter(\.column.kind.isText)
        let figures = layout.columns.filter { !$0.column.kind.isText }
        func line(_ row: ReportSectionRow, isTotal: Bool = false) -> TableLayout.Line {
            let names = texts.enumerated().map { index, column in
                if isTotal {
                    return index == 0 ? "total" : ""
                }
                return style.cell(layout.cell(column, row).text, limit: Self.longest)
            }
            return TableLayout.Line(names: names) { index in
                let text = layout.cell(figures[index], row).text
                return style.isASCII ? text.replacing("–", with: "-") : text
            }
        }
        table = TableLayout(
            names: texts.map(\.name), figures: figures.map(\.name), section.rows.lazy.map { line($0) },
            totals: section.totals.map { line($0, isTotal: true) }, style)
    }

    /// The columns that do not fit, if any.
    var omittedLine: String? {
        guard let first = table.omitted.first else {
            return nil
        }
        let count = table.omitted.count
        return "… and \(count) more column\(count == 1 ? "" : "s") from \(first) on: --format csv, or a wider terminal"
    }
}
