import Attribution
import AttributionStore

/// Makes sections whose rows are counts: their totals are the sum of the rows, and rates follow from these sums.
struct CountsTable {
    /// The columns with keys.
    let keys: [ReportSectionColumn]
    /// The figures, of which the first orders the rows.
    let figures: [CountsFigure]

    /// The columns of dimensions, and figures beside them.
    init(_ dimensions: [ReportDimension], _ figures: [CountsFigure]) {
        keys = dimensions.map(ReportSectionColumn.key)
        self.figures = figures
    }

    /// All columns.
    var columns: [ReportSectionColumn] {
        keys + figures.map(\.column)
    }

    /// The row of some keys.
    func row(_ values: [String], _ current: Counts, _ previous: Counts?) -> ReportSectionRow {
        let names = values.map(ReportCell.key)
        return ReportSectionRow(
            names + figures.map { $0.cell(current) },
            previous: previous.map { counts in
                names + figures.map { $0.column.isCompared ? $0.cell(counts) : .absent }
            })
    }

    /// The row of totals.
    func totals(_ current: Counts, _ previous: Counts?) -> ReportSectionRow {
        row(Array(repeating: "", count: keys.count), current, previous)
    }

    /// A section of rows in which anything is to be seen, the greatest first.
    ///
    /// - Parameters:
    ///   - name: The stable name.
    ///   - title: The heading.
    ///   - meaning: What it shows, in one line.
    ///   - rows: The rows, in the order of their keys.
    ///   - top: The most rows to show; nil for all.
    ///   - notes: What a reader has to know.
    ///   - chart: The chart that suits it.
    /// - Returns: The section.
    func section(
        _ name: String,
        _ title: String,
        _ meaning: String,
        _ rows: some Sequence<StandardReportFigures.Row>,
        top: Int? = nil,
        notes: [String] = [],
        chart: ReportChart? = nil
    ) -> ReportSection {
        var sums = Counts()
        var previousSums: Counts?
        var shown: [ReportSectionRow] = []
        for row in rows {
            sums += row.current
            if let previous = row.previous {
                var sum = previousSums ?? Counts()
                sum += previous
                previousSums = sum
            }
            let made = self.row(row.values, row.current, row.previous)
            if made.isVisible(beyond: keys.count) {
                shown.append(made)
            }
        }
        let key = keys.count
        let ordered = shown.enumerated().sorted { left, right in
            let (first, second) = (left.element.cells[key].number, right.element.cells[key].number)
            return first == second ? left.offset < right.offset : first > second
        }.map(\.element)
        let count = top.map { min($0, ordered.count) } ?? ordered.count
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: columns, rows: Array(ordered.prefix(count)),
            totals: totals(sums, previousSums), omittedRows: ordered.count - count, notes: notes, chart: chart)
    }
}

extension ReportSectionRow {
    /// Whether any figure of either period is not 0.
    fileprivate func isVisible(beyond keys: Int) -> Bool {
        (cells.dropFirst(keys) + (previous ?? []).dropFirst(keys)).contains { $0.number != 0 }
    }
}
