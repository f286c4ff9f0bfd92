import Attribution
import AttributionStore
import GRDB

/// In a file, block *n* begins with postback 4,096 *n* + 1. It is written when its last postback is recorded.
extension ColumnBlock {
    /// The block a postback belongs to.
    static func number(of id: Int64) -> Int64 {
        (id - 1).dividedRoundingDown(by: Int64(rowCount))
    }

    /// The postbacks of a block.
    static func ids(_ number: Int64) -> ClosedRange<Int64> {
        let first = number * Int64(rowCount) + 1
        return first...(first + Int64(rowCount) - 1)
    }

    /// The row id of a block's column.
    fileprivate static func id(_ number: Int64, _ column: LedgerColumn) -> Int64 {
        firstID(of: number) + Int64(column.rawValue)
    }

    /// How many blocks the store should have: all full blocks, except the newest while it is not written yet.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func dueCount(_ db: Database, newest: Int64) throws -> Int64 {
        let fullCount = number(of: newest + 1)
        let last = try lastStored(db)
        return last == fullCount - 2 ? fullCount - 1 : fullCount
    }

    /// The last block in the store, whole or not; -1 for none, nil if damage hides it.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func lastStored(_ db: Database) throws -> Int64? {
        try Database.nilIfDamaged {
            try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM column_block")).map(number(ofBlockAt:))
                ?? -1
        }
    }

    /// The last postback of the last block of which the checksum of some column is right, after a postback; nil for none.
    ///
    /// Such a block was written after its last postback, so it proves postbacks whose rows and bodies are lost. Columns
    /// behind a damaged page are read from the other end; those between two are not.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func lastProven(_ db: Database, after id: Int64) throws -> Int64? {
        let isThere = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'column_block')"))
        guard isThere == true else {
            return nil
        }
        for order in ["DESC", "ASC"] {
            var proven: Int64?
            let isRead: Void? = try Database.nilIfDamaged {
                let rows = try Row.fetchCursor(
                    db.cachedStatement(
                        sql: """
                            SELECT id, rules, lowest, highest, offsets, checksum FROM column_block
                            WHERE id >= ? AND id < ? ORDER BY id \(order)
                            """),
                    // Owners assign no greater ids.
                    arguments: [firstID(of: number(of: id + 1)), firstID(of: number(of: Int64(UInt32.max)) + 1)])
                while let row = try rows.next() {
                    if try isIntact(row) {
                        proven = ids(number(ofBlockAt: try row.integer(0))).upperBound
                        if order == "DESC" {
                            return
                        }
                    }
                }
            }
            if isRead != nil || proven != nil {
                return proven
            }
        }
        return nil
    }

    /// The row id of a block's column if its checksum is right, by whatever rules it was built.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func proven(_ number: Int64, _ column: LedgerColumn, _ db: Database) throws -> Int64? {
        let id = id(number, column)
        return try Database.nilIfDamaged {
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: "SELECT id, rules, lowest, highest, offsets, checksum FROM column_block WHERE id = ?"),
                arguments: [id])
            guard let row, try row.integer(0) == id, try isIntact(row) else {
                return nil
            }
            return id
        }.flatMap(\.self)
    }

    /// Whether a row of `id, rules, lowest, highest, offsets, checksum` has the right checksum.
    private static func isIntact(_ row: Row) throws -> Bool {
        guard let rules = try? row.integer(1), let lowest = try? row.integer(2), let highest = try? row.integer(3),
            let offsets = try? row.bytes(at: 4), let checksum = try? row.integer(5)
        else {
            return false
        }
        var identity = Checksum()
        identity.add(try row.integer(0))
        return offsets.withUnsafeBytes {
            isIntact(identity, rules: rules, lowest: lowest, highest: highest, offsets: $0, checksum: checksum)
        }
    }

    /// The row id of a block's first column.
    static func firstID(of number: Int64) -> Int64 {
        number * columnsReserved
    }

    /// The number of the block that a row id belongs to.
    static func number(ofBlockAt id: Int64) -> Int64 {
        id.dividedRoundingDown(by: columnsReserved)
    }

    /// The column number of a row id, as SQL.
    static let columnSQL = "id % \(columnsReserved)"

    /// Leaves row ids for future columns.
    private static let columnsReserved: Int64 = 64

    /// What tells a block's column from others.
    fileprivate static func identity(_ number: Int64, _ column: LedgerColumn) -> Checksum {
        var identity = Checksum()
        identity.add(id(number, column))
        return identity
    }
}

extension EncodedColumn {
    /// Writes or replaces one column of a block.
    func write(_ number: Int64, _ column: LedgerColumn, _ db: Database) throws {
        let sum = checksum(ColumnBlock.identity(number, column))
        try HotStatement(
            db, sql: "INSERT OR REPLACE INTO column_block VALUES (?, ?, ?, ?, ?, ?)", HotStatement.Arena()
        ).run { row in
            row.bind(ColumnBlock.id(number, column))
            row.bind(ColumnBlock.rules)
            row.bind(lowest)
            row.bind(highest)
            row.bind(offsets)
            row.bind(sum)
        }
    }
}

/// Reads blocks.
struct ColumnBlockReader {
    private let find: HotStatement

    init(_ db: Database) throws {
        find = try HotStatement(
            db, sql: "SELECT rules, lowest, highest, offsets, checksum FROM column_block WHERE id = ?",
            HotStatement.Arena())
    }

    /// Passes one column of a block to a closure; its memory belongs to SQLite and is valid only during the call.
    ///
    /// - Returns: What `use` returned; nil if the block is missing, damaged, or built by other rules.
    /// - Throws: SQLite's errors, except for damage.
    func read<Result>(
        _ number: Int64,
        _ column: LedgerColumn,
        _ use: (ColumnBlock) throws -> Result
    ) throws -> Result? {
        try Database.nilIfDamaged {
            var result: Result?
            try find.fetch(bind: { $0.bind(ColumnBlock.id(number, column)) }) { row in
                result = try ColumnBlock(
                    ColumnBlock.identity(number, column), count: ColumnBlock.rowCount, rules: row.integer(0),
                    lowest: row.integer(1), highest: row.integer(2), offsets: row.blob(3), checksum: row.integer(4)
                ).map(use)
            }
            return result
        }.flatMap(\.self)
    }

    /// Copies one column of a block; nil if it is missing or its page is damaged.
    ///
    /// - Throws: SQLite's errors, except for damage.
    func load(_ number: Int64, _ column: LedgerColumn) throws -> StoredColumn? {
        try Database.nilIfDamaged {
            var stored: StoredColumn?
            try find.fetch(bind: { $0.bind(ColumnBlock.id(number, column)) }) { row in
                stored = StoredColumn(
                    column, ColumnBlock.identity(number, column), count: ColumnBlock.rowCount, rules: row.integer(0),
                    lowest: row.integer(1), highest: row.integer(2), offsets: [UInt8](row.blob(3)),
                    checksum: row.integer(4))
            }
            return stored
        }.flatMap(\.self)
    }

    /// How many of the first `count` postbacks of a block could not be read when it was written.
    func missingCount(_ number: Int64, _ count: Int) throws -> Int {
        try read(number, .traffic) { $0.missingCount(count) } ?? 0
    }
}
