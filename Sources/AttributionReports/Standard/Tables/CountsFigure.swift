package import Attribution

/// A column whose cells follow from counts.
package struct CountsFigure: Sendable {
    /// The column.
    package let column: ReportSectionColumn
    /// Makes the cell of some counts.
    package let cell: @Sendable (Counts) -> ReportCell

    /// Creates a figure.
    package init(_ column: ReportSectionColumn, cell: @escaping @Sendable (Counts) -> ReportCell) {
        self.column = column
        self.cell = cell
    }

    /// The same figure, also for the previous period.
    package var compared: CountsFigure {
        CountsFigure(column.compared, cell: cell)
    }

    static func count(
        _ name: String,
        _ title: String,
        _ basis: ReportDimension.Basis,
        _ definition: String,
        _ count: @escaping @Sendable (Counts) -> Int64
    ) -> CountsFigure {
        CountsFigure(ReportSectionColumn(name, title, .count, basis, definition)) { .count(count($0)) }
    }

    static func rate(
        _ name: String,
        _ title: String,
        _ basis: ReportDimension.Basis,
        _ definition: String,
        of denominator: CountsFigure,
        _ part: @escaping @Sendable (Counts) -> Int64
    ) -> CountsFigure {
        let column = ReportSectionColumn(
            name, title, .share, basis, definition, denominator: denominator.column.name)
        return CountsFigure(column) { .rate(part($0), of: denominator.cell($0).number) }
    }
}

extension ReportCell {
    /// The number of a count; 0 for any other cell.
    var number: Int64 {
        if case .count(let count) = self { count } else { 0 }
    }
}
