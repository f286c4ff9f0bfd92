import AttributionStore

/// A block of the store, of which some columns may be unreadable.
struct StoredBlock {
    let values: ColumnValues
    /// The columns whose checksums are right.
    let readable: Set<LedgerColumn>

    /// Reads what can be read of a block.
    ///
    /// - Throws: SQLite's errors, except for damage.
    init(_ number: Int64, _ reader: ColumnBlockReader) throws {
        var values = ColumnValues(count: ColumnBlock.rowCount)
        readable = try values.read(number, reader)
        self.values = values
    }

    /// Whether the block has values of a row, which may have been missing when it was written; nil if that is not known.
    func hasRow(at index: Int) -> Bool? {
        // None of these is empty for any postback.
        let columns: [LedgerColumn] = [.traffic, .traits, .network, .recipient]
        return columns.first(where: readable.contains).map { values[$0][index] != 0 }
    }

    /// Puts what is stored of a row in the place of what was derived, as far as that does not prove more.
    ///
    /// A value whose checksum is right is kept. If the row's bytes are proven, it is equal to what follows from them, so
    /// only what does not follow is at stake. If they are not, the row is missing unless all that reports read is known.
    ///
    /// - Parameters:
    ///   - derived: What was derived of the row and its bytes; missing unless they are proven.
    ///   - index: The row's index in the block.
    ///   - codes: The texts of codes.
    /// - Returns: The values to store.
    func merged(with derived: ColumnRow, at index: Int, _ codes: ColumnCodes) -> ColumnRow {
        let stored = values.row(at: index)
        var merged = derived
        guard derived[.traffic] != 0 else {
            // Also a code whose text is lost: it keeps the block from being read, and its rows from being counted.
            for column in readable where stored[column] != 0 {
                merged[column] = stored[column]
            }
            // A lost value must not look like one that the postback never had.
            if !readable.isSuperset(of: LedgerColumn.reported) {
                merged[.traffic] = 0
            }
            return merged
        }
        // A block of another postback's values says nothing of this one.
        guard hasRow(at: index) == true, !readable.contains(.key) || stored[.key] == derived[.key] else {
            return merged
        }
        for column in [LedgerColumn.traffic, .quarter, .recipient]
        where readable.contains(column) && codes.hasText(stored[column], column) {
            merged[column] = stored[column]
        }
        return merged
    }
}

extension ColumnValues {
    /// Reads the undamaged columns of a block of the store.
    ///
    /// - Returns: The columns that could be read.
    mutating func read(_ number: Int64, _ reader: ColumnBlockReader) throws -> Set<LedgerColumn> {
        var readable: Set<LedgerColumn> = []
        for column in LedgerColumn.all {
            let isRead: Void? = try reader.read(number, column) { block in
                set(block, column)
            }
            if isRead != nil {
                readable.insert(column)
            }
        }
        return readable
    }
}
