/// The columns of a section side by side: each compared column is followed by that of the previous period.
package struct SectionLayout: Sendable {
    /// A column of one of the periods.
    package struct Column: Sendable {
        /// The column of the section.
        package let column: ReportSectionColumn
        /// Its index in the section.
        let index: Int
        /// Whether it shows the previous period.
        package let isPrevious: Bool

        /// The stable name.
        package var name: String {
            isPrevious ? SectionLayout.previous + column.name : column.name
        }

        /// The heading.
        package var title: String {
            isPrevious ? "\(column.title), before" : column.title
        }

        /// The names in formats in which a cell holds one value.
        var flatNames: [String] {
            column.kind.isRange ? [SectionLayout.lower, SectionLayout.upper].map { "\(name)-\($0)" } : [name]
        }
    }

    /// What the names of columns of the previous period begin with.
    static let previous = "previous-"
    /// The name of a lower bound.
    static let lower = "at-least"
    /// The name of an upper bound.
    static let upper = "at-most"

    /// The columns, from the left.
    package let columns: [Column]

    /// Lays out the columns of a section.
    package init(_ section: ReportSection) {
        columns = section.columns.enumerated().flatMap { index, column in
            [Column(column: column, index: index, isPrevious: false)]
                + (column.isCompared && section.isCompared
                    ? [Column(column: column, index: index, isPrevious: true)] : [])
        }
    }

    /// The cell of a row in a column.
    package func cell(_ column: Column, _ row: ReportSectionRow) -> ReportCell {
        column.isPrevious ? row.previous?[column.index] ?? .absent : row.cells[column.index]
    }

    /// The cells of a row, from the left.
    package func cells(_ row: ReportSectionRow) -> [ReportCell] {
        columns.map { cell($0, row) }
    }
}
