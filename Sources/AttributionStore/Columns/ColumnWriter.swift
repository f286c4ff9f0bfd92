import GRDB

/// The owner's columns: the values of postbacks that are in no block yet, and the codes of every text.
///
/// A transaction that records appends to it; one that fails cuts it back. Full blocks are written by a transaction of
/// their own: whatever becomes of columns keeps nobody from recording.
struct ColumnWriter {
    private var codes: ColumnCodes
    /// The values of each postback from the first that is in no block on.
    private var rows: [ColumnRow] = []
    /// The first postback in ``rows``, with which a block begins.
    private(set) var first: Int64

    /// Begins with a block.
    ///
    /// - Parameters:
    ///   - codes: All codes there are.
    ///   - first: The first postback of the first block that the store lacks.
    init(_ codes: ColumnCodes, from first: Int64) {
        self.codes = codes
        self.first = first
    }

    /// Adds the next postback.
    mutating func append(_ facts: PostbackFacts) {
        rows.append(codes.row(facts, LedgerColumn.allCases))
    }

    /// Reads the postbacks from the first one on.
    mutating func load(_ db: Database, through newest: Int64) throws {
        guard first <= newest else {
            return
        }
        var codes = codes
        var rows = Array(repeating: ColumnRow.missing, count: Int(newest - first) + 1)
        try ColumnDerivation(db: db, columns: LedgerColumn.allCases).each(first...newest, &codes) { id, row in
            rows[Int(id - first)] = row
        }
        self.codes = codes
        self.rows = rows
    }

    /// Whether a block is full.
    var hasFullBlock: Bool {
        rows.count >= ColumnBlock.rowCount
    }

    /// Writes the blocks that are full.
    func writeBlocks(_ db: Database) throws {
        try codes.write(db)
        for start in fullBlocks {
            let number = ColumnBlock.number(of: first + Int64(start))
            for column in LedgerColumn.allCases {
                try ColumnBlock.write(
                    rows[start..<(start + ColumnBlock.rowCount)].map { $0[column] }, number, column, db)
            }
        }
    }

    /// Lets go of the blocks that are full.
    ///
    /// - Parameter areWritten: Whether the store has them; if not, they are counted from their bytes.
    mutating func dropBlocks(areWritten: Bool) {
        let count = fullBlocks.count * ColumnBlock.rowCount
        rows.removeFirst(count)
        first += Int64(count)
        if areWritten {
            codes.didWrite()
        }
    }

    private var fullBlocks: [Int] {
        Array(stride(from: 0, through: rows.count - ColumnBlock.rowCount, by: ColumnBlock.rowCount))
    }

    /// Forgets what a failed transaction added.
    mutating func cut(through newest: Int64) {
        let kept = max(0, Int(newest - first) + 1)
        if rows.count > kept {
            rows.removeLast(rows.count - kept)
        }
    }
}
