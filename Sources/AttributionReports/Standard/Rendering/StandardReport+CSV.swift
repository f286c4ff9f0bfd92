extension StandardReport {
    /// Writes the rows of the section with a header line, RFC 4180.
    func writeCSV(to output: (String) -> Void) {
        guard let section = sections.first else {
            return
        }
        let layout = SectionLayout(section)
        func line(_ cells: [String]) {
            output(cells.map(\.csvCell).joined(separator: ",") + "\r\n")
        }
        line(layout.columns.flatMap(\.flatNames))
        for row in section.rows {
            line(layout.columns.flatMap { layout.cell($0, row).texts(isRange: $0.column.kind.isRange) })
        }
    }
}
