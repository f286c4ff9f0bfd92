import Attribution
import AttributionStore
import GRDB

/// Compares columns with the bodies, block by block.
struct RecountColumns {
    private let db: Database
    private let reader: ColumnBlockReader
    private var codes: ColumnCodes
    /// The block being compared, its stored values, and whether a difference was reported.
    private var block: (number: Int64, stored: ColumnValues?, isNoted: Bool)?
    private var next: Int64 = 0
    private let blockCount: Int64

    init(_ db: Database) throws {
        self.db = db
        reader = try ColumnBlockReader(db)
        codes = try ColumnCodes(db)
        blockCount = try ColumnBlock.dueCount(db, newest: try LedgerScan.newestRow(db))
    }

    /// Compares a postback; must be called in ascending order of ids.
    ///
    /// - Returns: Blocks found to differ from the bodies.
    mutating func check(_ id: Int64, _ facts: PostbackFacts) throws -> [Int64] {
        let number = ColumnBlock.number(of: id)
        var found = try skip(to: number)
        guard number < blockCount, let block, !block.isNoted else {
            return found
        }
        let expected = codes.row(facts, LedgerColumn.all)
        let index = Int(id - ColumnBlock.ids(number).lowerBound)
        let isSame =
            block.stored.map { stored in
                LedgerColumn.all.allSatisfy { codes.areSame(stored[$0][index], expected[$0], $0) }
            } ?? false
        if !isSame {
            self.block?.isNoted = true
            found.append(number)
        }
        return found
    }

    /// Checks the remaining blocks, and looks for blocks of postbacks that do not exist.
    ///
    /// - Returns: Blocks that are damaged or missing, and whether there are blocks without postbacks.
    mutating func finish() throws -> (blocks: [Int64], hasStrays: Bool) {
        let found = try skip(to: blockCount)
        // Damage is reported where the block is compared.
        let stray = try Database.nilIfDamaged {
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM column_block WHERE id < 0 OR id >= ?)",
                arguments: [ColumnBlock.firstID(of: blockCount)])
        }
        return (found, stray.flatMap(\.self) ?? false)
    }

    /// Advances to a block; blocks skipped have no readable postbacks and only need to be undamaged.
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
    /// Reads a block of the store; nil if any column cannot be read.
    init?(_ number: Int64, _ reader: ColumnBlockReader) throws {
        self.init(count: ColumnBlock.rowCount)
        guard try read(number, reader).count == LedgerColumn.all.count else {
            return nil
        }
    }

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
