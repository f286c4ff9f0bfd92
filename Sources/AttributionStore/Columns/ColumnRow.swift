/// A postback's values in all columns.
package struct ColumnRow {
    private var values = InlineArray<14, Int64>(repeating: 0)

    /// All are 0.
    package init() {}

    package subscript(column: LedgerColumn) -> Int64 {
        get { values[column.rawValue] }
        set { values[column.rawValue] = newValue }
    }

    /// Marks a missing row.
    package static let missing = ColumnRow()
}
