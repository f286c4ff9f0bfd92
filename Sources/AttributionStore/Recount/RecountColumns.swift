import Attribution
import GRDB

/// Compares columns with what the bodies say, block after block.
struct RecountColumns {
    private let db: Database
    private let reader: ColumnBlockReader
    private var codes: ColumnCodes
    /// The block being compared, what the store has of it, and whether it was noted.
    private var block: (number: Int64, stored: ColumnValues?, isNoted: Bool)?
    private var next: Int64 = 0
    private let blockCount: Int64

    init(_ db: Database) throws {
        self.db = db
        reader = try ColumnBlockReader(db)
        codes = try ColumnCodes(db)
        blockCount = try ColumnBlock.dueCount(db, newest: try LedgerScan.newestRow(db))
    }

    /// Compares a postback; ids ascend.
    ///
    /// - Returns: Blocks that turned out not to be what the bodies say.
    mutating func check(_ id: Int64, _ facts: PostbackFacts) throws -> [Int64] {
        let number = ColumnBlock.number(of: id)
        var found = try skip(to: number)
        guard number < blockCount, let block, !block.isNoted else {
            return found
        }
        let expected = codes.row(facts, LedgerColumn.allCases)
        let index = Int(id - ColumnBlock.ids(number).lowerBound)
        if block.stored.map({ !isSame(expected, $0, index) }) ?? true {
            self.block?.isNoted = true
            found.append(number)
        }
        return found
    }

    private func isSame(_ expected: ColumnRow, _ stored: ColumnValues, _ index: Int) -> Bool {
        LedgerColumn.allCases.allSatisfy { column in
            let value = stored[column][index]
            guard value != expected[column] else {
                return true
            }
            // Two codes may stand for one text, where an entry was damaged once.
            let values = codes.values(column)
            return column.isCoded && values.indices.contains(Int(value))
                && values[Int(value)] == values[Int(expected[column])]
        }
    }

    /// Compares what is left, and looks for blocks of postbacks that are not there.
    ///
    /// - Returns: Blocks that are not whole, and whether there are blocks of no postbacks.
    mutating func finish() throws -> (blocks: [Int64], hasStrays: Bool) {
        let found = try skip(to: blockCount)
        // What cannot be read is named where its block is compared.
        let stray = try Database.passingDamage {
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM column_block WHERE id < 0 OR id >= ?)",
                arguments: [ColumnBlock.firstID(of: blockCount)])
        }
        return (found, stray.flatMap(\.self) ?? false)
    }

    /// Goes on to a block; those in between have no postback that can be read, and need only be whole.
    private mutating func skip(to number: Int64) throws -> [Int64] {
        guard block?.number != number else {
            return []
        }
        var found: [Int64] = []
        while next <= number, next < blockCount {
            let stored = try ColumnValues(next, reader)
            if stored == nil {
                found.append(next)
            }
            block = (next, stored, stored == nil)
            next += 1
        }
        return found
    }
}

extension ColumnValues {
    /// Reads a block of the store; nil when part of it cannot be read.
    init?(_ number: Int64, _ reader: ColumnBlockReader) throws {
        self.init(count: ColumnBlock.rowCount)
        guard try read(number, reader).count == LedgerColumn.allCases.count else {
            return nil
        }
    }

    /// Takes over what can be read of a block of the store.
    ///
    /// - Returns: The columns that could be read.
    mutating func read(_ number: Int64, _ reader: ColumnBlockReader) throws -> Set<LedgerColumn> {
        var readable: Set<LedgerColumn> = []
        for column in LedgerColumn.allCases {
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
