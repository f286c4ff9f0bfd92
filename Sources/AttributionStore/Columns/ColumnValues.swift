/// The values of consecutive postbacks in every column.
package struct ColumnValues {
    private var columns: [[Int64]]
    package let count: Int

    /// All values are 0, those of missing postbacks.
    package init(count: Int, _ selected: [LedgerColumn] = LedgerColumn.all) {
        self.count = count
        columns = LedgerColumn.all.map { Array(repeating: 0, count: selected.contains($0) ? count : 0) }
    }

    /// How many of the postbacks cannot be read.
    package var unreadableCount = 0

    /// The values of a column.
    package subscript(column: LedgerColumn) -> [Int64] {
        get { columns[column.rawValue] }
        set { columns[column.rawValue] = newValue }
    }

    /// Sets the values of one postback.
    package mutating func set(_ row: ColumnRow, at index: Int, _ selected: [LedgerColumn] = LedgerColumn.all) {
        for column in selected {
            columns[column.rawValue][index] = row[column]
        }
    }
}

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
