/// A postback's values in all columns.
struct ColumnRow {
    private var values = InlineArray<14, Int64>(repeating: 0)

    subscript(column: LedgerColumn) -> Int64 {
        get { values[column.rawValue] }
        set { values[column.rawValue] = newValue }
    }

    /// Marks a missing row.
    static let missing = ColumnRow()
}
