/// A table of a standard report.
package struct ReportSection: Sendable {
    /// The stable name, unique in its report.
    package let name: String
    /// The heading.
    package let title: String
    /// What the table shows, in one line.
    package let meaning: String
    /// The columns, those with keys first.
    package let columns: [ReportSectionColumn]
    /// The rows.
    package private(set) var rows: [ReportSectionRow]
    /// The sums of all rows, and the rates of these sums; nil for a table whose rows cannot be added.
    package private(set) var totals: ReportSectionRow?
    /// How many rows were left out after the last one; the totals include them.
    package let omittedRows: Int
    /// What a reader has to know: what is left out, and what a figure does not say.
    package let notes: [String]
    /// The chart that shows the table best; nil for none.
    package let chart: ReportChart?

    /// Creates a section.
    package init(
        name: String,
        title: String,
        meaning: String,
        columns: [ReportSectionColumn],
        rows: [ReportSectionRow],
        totals: ReportSectionRow? = nil,
        omittedRows: Int = 0,
        notes: [String] = [],
        chart: ReportChart? = nil
    ) {
        self.name = name
        self.title = title
        self.meaning = meaning
        self.columns = columns
        self.rows = rows
        self.totals = totals
        self.omittedRows = omittedRows
        self.notes = notes
        self.chart = chart
    }

    /// Whether its figures are compared with those of the previous period.
    package var isCompared: Bool {
        rows.contains { $0.previous != nil } || totals?.previous != nil
    }
}

/// A row of a section: one cell for each column.
package struct ReportSectionRow: Hashable, Sendable {
    /// The cells, in the order of the columns.
    package let cells: [ReportCell]
    /// The same cells for the previous period, of which only those of compared columns mean something; nil without a
    /// previous period.
    package let previous: [ReportCell]?

    /// Creates a row.
    package init(_ cells: [ReportCell], previous: [ReportCell]? = nil) {
        self.cells = cells
        self.previous = previous
    }
}

extension ReportSection {
    /// The section with nothing to compare with.
    var withUnknownPrevious: ReportSection {
        func unknown(_ row: ReportSectionRow) -> ReportSectionRow {
            ReportSectionRow(row.cells, previous: row.previous?.map { _ in .absent })
        }
        var section = self
        section.rows = rows.map(unknown)
        section.totals = totals.map(unknown)
        return section
    }
}

/// The chart that suits a section; columns are referred to by name.
package enum ReportChart: Hashable, Sendable {
    /// Bars, one for each row.
    case bars(category: String, value: String)
    /// A line over days, and another one for the previous period.
    case line(day: String, value: String)
}
