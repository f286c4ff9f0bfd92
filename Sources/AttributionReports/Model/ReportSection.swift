package struct ReportSection: Sendable {
    /// The stable name, unique in its report.
    package private(set) var name: String
    package let title: String
    /// What the table shows, in one line.
    package let meaning: String
    /// The columns, those with keys first.
    package private(set) var columns: [ReportColumn]
    package private(set) var rows: ReportSectionRows
    /// The sums of all rows, and the rates of these sums; nil for a table whose rows cannot be added.
    package private(set) var totals: ReportSectionRow?
    /// How many rows were left out after the last one; the totals include them.
    package private(set) var omittedRows: Int
    /// What a reader has to know: what is left out, and what a figure does not say.
    package private(set) var notes: [String]
    /// The chart that shows the table best; nil for none.
    package private(set) var chart: ReportChart?

    package init(
        name: String,
        title: String,
        meaning: String,
        columns: [ReportColumn],
        rows: some Sequence<ReportSectionRow>,
        totals: ReportSectionRow? = nil,
        omittedRows: Int = 0,
        notes: [String] = [],
        chart: ReportChart? = nil
    ) {
        self.name = name
        self.title = title
        self.meaning = meaning
        self.columns = columns
        self.rows = rows as? ReportSectionRows ?? ReportSectionRows(Array(rows))
        self.totals = totals
        self.omittedRows = omittedRows
        self.notes = notes
        self.chart = chart
    }

    /// Whether its figures are compared with those of the previous period.
    package var isCompared: Bool {
        rows.areCompared || totals?.previous != nil
    }

    func named(_ name: String) -> ReportSection {
        var section = self
        section.name = name
        return section
    }

    /// The section with other columns or rows, and without a chart that needs columns, or an order, that are gone.
    func with(
        _ columns: [ReportColumn],
        _ rows: some Sequence<ReportSectionRow>,
        totals: ReportSectionRow?,
        omittedRows: Int? = nil,
        isInOrder: Bool = true
    ) -> ReportSection {
        var section = self
        (section.columns, section.totals) = (columns, totals)
        section.rows = rows as? ReportSectionRows ?? ReportSectionRows(Array(rows))
        section.omittedRows = omittedRows ?? self.omittedRows
        let names = columns.map(\.name)
        switch chart {
        case .bars(let category, let value):
            section.chart = names.contains(category) && names.contains(value) ? chart : nil
        case .line(let day, let value):
            section.chart = isInOrder && names.contains(day) && names.contains(value) ? chart : nil
        case nil: break
        }
        return section
    }

    /// The section with nothing to compare with.
    var withUnknownPrevious: ReportSection {
        func unknown(_ row: ReportSectionRow) -> ReportSectionRow {
            ReportSectionRow(row.cells, previous: row.previous?.map { _ in .absent })
        }
        return with(columns, rows.map(unknown), totals: totals.map(unknown))
    }

    /// At most some rows, the greatest first; equal ones keep their order.
    ///
    /// `arranged` changes the order of all rows before some are left out.
    static func greatest<Row>(
        _ rows: [Row],
        top: Int?,
        arranged: ([Row]) -> [Row] = { $0 },
        by isGreater: (Row, Row) -> Bool
    ) -> (shown: [Row], omitted: Int) {
        let sorted = rows.enumerated().sorted { left, right in
            isGreater(left.element, right.element)
                || left.offset < right.offset && !isGreater(right.element, left.element)
        }
        let count = min(top ?? .max, rows.count)
        return (Array(arranged(sorted.map(\.element)).prefix(count)), rows.count - count)
    }
}

/// A row of a section: one cell for each column.
package struct ReportSectionRow: Hashable, Sendable {
    /// The cells, in the order of the columns.
    package let cells: [ReportCell]
    /// The same cells for the previous period, of which only those of compared columns mean something; nil without a
    /// previous period.
    package let previous: [ReportCell]?

    package init(_ cells: [ReportCell], previous: [ReportCell]? = nil) {
        self.cells = cells
        self.previous = previous
    }
}

/// The rows of a section; those of free reports are created on access, because there may be a million.
package struct ReportSectionRows: RandomAccessCollection, Sendable {
    package let endIndex: Int
    /// Whether any row has figures of the previous period.
    let areCompared: Bool
    private let row: @Sendable (Int) -> ReportSectionRow

    /// Rows without figures of the previous period.
    init(count: Int, row: @escaping @Sendable (Int) -> ReportSectionRow) {
        (endIndex, areCompared, self.row) = (count, false, row)
    }

    /// Rows that are in memory.
    package init(_ rows: [ReportSectionRow]) {
        (endIndex, areCompared) = (rows.count, rows.contains { $0.previous != nil })
        row = { rows[$0] }
    }

    package var startIndex: Int {
        0
    }

    package subscript(index: Int) -> ReportSectionRow {
        row(index)
    }
}

/// The chart that suits a section; columns are referred to by name.
package enum ReportChart: Hashable, Sendable {
    /// Bars, one for each row.
    case bars(category: String, value: String)
    /// A line over days, and another one for the previous period.
    case line(day: String, value: String)
}

/// The columns of a section side by side: each compared column is followed by that of the previous period.
struct SectionLayout {
    /// A column of one of the periods.
    struct Column {
        let column: ReportColumn
        /// Its index in the section.
        let index: Int
        let isPrevious: Bool

        var name: String {
            isPrevious ? "previous-" + column.name : column.name
        }

        var title: String {
            isPrevious ? "\(column.title), before" : column.title
        }

        var isText: Bool {
            column.kind.isText
        }

        /// The names in formats in which a cell holds one value.
        var flatNames: [String] {
            column.kind.isRange ? [SectionLayout.lower, SectionLayout.upper].map { "\(name)-\($0)" } : [name]
        }

        func cell(_ row: ReportSectionRow) -> ReportCell {
            isPrevious ? row.previous?[index] ?? .absent : row.cells[index]
        }
    }

    static let lower = "at-least"
    static let upper = "at-most"

    let columns: [Column]

    init(_ section: ReportSection) {
        let isCompared = section.isCompared
        columns = section.columns.enumerated().flatMap { index, column in
            (column.isCompared && isCompared ? [false, true] : [false]).map {
                Column(column: column, index: index, isPrevious: $0)
            }
        }
    }

    /// The texts of the row of totals, which has no keys.
    func totals(_ row: ReportSectionRow) -> [String] {
        columns.enumerated().map { index, column in
            column.isText ? (index == 0 ? "total" : "") : column.cell(row).text
        }
    }
}
