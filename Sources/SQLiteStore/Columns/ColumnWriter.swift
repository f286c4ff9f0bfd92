import AttributionStore
import GRDB

/// The owner's columns in memory: the values of postbacks that are in no block yet, and the codes of every text.
///
/// A recording transaction appends to it and writes full blocks; the next one removes what a failed one appended.
struct ColumnWriter {
    private var codes: ColumnCodes
    /// The values of the postbacks from ``first`` on.
    private var rows: [ColumnRow] = []
    /// The first postback in ``rows``; a block begins with it.
    private(set) var first: Int64

    init(_ codes: ColumnCodes, from first: Int64) {
        self.codes = codes
        self.first = first
    }

    /// Adds the next postback.
    mutating func append(_ facts: PostbackFacts) {
        rows.append(codes.row(facts, LedgerColumn.all))
    }

    /// Loads the postbacks from ``first`` to the newest.
    mutating func load(_ db: Database, through newest: Int64) throws {
        guard first <= newest else {
            return
        }
        var codes = codes
        var rows = Array(repeating: ColumnRow.missing, count: Int(newest - first) + 1)
        try ColumnDerivation(db: db, columns: LedgerColumn.all).each(first...newest, &codes) {
            id, row in
            rows[Int(id - first)] = row
        }
        self.codes = codes
        self.rows = rows
    }

    /// Writes the full blocks.
    func writeBlocks(_ db: Database) throws {
        guard !fullBlocks.isEmpty else {
            return
        }
        try codes.write(db)
        for start in fullBlocks {
            let number = ColumnBlock.number(of: first + Int64(start))
            for column in LedgerColumn.all {
                try EncodedColumn(rows[start..<(start + ColumnBlock.rowCount)], column).write(number, column, db)
            }
        }
    }

    /// Removes the full blocks from memory after the commit.
    mutating func dropBlocks() {
        let count = fullBlocks.count * ColumnBlock.rowCount
        guard count > 0 else {
            return
        }
        rows.removeFirst(count)
        first += Int64(count)
        codes.didWrite()
    }

    private var fullBlocks: [Int] {
        Array(stride(from: 0, through: rows.count - ColumnBlock.rowCount, by: ColumnBlock.rowCount))
    }

    /// Removes what a failed transaction added.
    mutating func truncate(through newest: Int64) {
        let kept = max(0, Int(newest - first) + 1)
        if rows.count > kept {
            rows.removeLast(rows.count - kept)
        }
    }
}
