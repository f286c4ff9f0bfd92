/// The values of consecutive postbacks in every column.
package struct ColumnValues {
    private var columns: [[Int64]]
    package let count: Int

    /// All values are 0, those of missing postbacks.
    ///
    /// - Parameters:
    ///   - count: The postbacks.
    ///   - selected: The columns; the others stay empty.
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

    /// Takes over a stored column.
    package mutating func set(_ block: ColumnBlock, _ column: LedgerColumn) {
        for index in 0..<count {
            columns[column.rawValue][index] = block[index]
        }
    }

    /// The values of one postback.
    package func row(at index: Int) -> ColumnRow {
        var row = ColumnRow()
        for column in LedgerColumn.all {
            row[column] = columns[column.rawValue][index]
        }
        return row
    }
}
