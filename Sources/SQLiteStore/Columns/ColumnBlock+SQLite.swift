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

    /// How many blocks are full, and therefore in the store.
    static func fullCount(newest: Int64) -> Int64 {
        number(of: newest + 1)
    }

    /// The row id of a block's first column.
    static func firstID(of number: Int64) -> Int64 {
        number * columnsReserved
    }

    /// Leaves row ids for future columns.
    private static let columnsReserved: Int64 = 64

    /// The number of a row's column.
    static let columnSQL = "id % \(columnsReserved)"

    /// The row id of a block's column.
    fileprivate static func id(_ number: Int64, _ column: LedgerColumn) -> Int64 {
        firstID(of: number) + Int64(column.rawValue)
    }

    /// What tells a block's column from others.
    fileprivate static func identity(_ number: Int64, _ column: LedgerColumn) -> Checksum {
        var identity = Checksum()
        identity.add(id(number, column))
        return identity
    }

    /// Derives a block from the bytes and writes it.
    static func rewrite(_ number: Int64, _ db: Database) throws -> [(digest: UInt64, row: Int64)] {
        let ids = ids(number)
        var codes = try ColumnCodes(db)
        let values = try ColumnDerivation(db: db, columns: LedgerColumn.all).values(ids, &codes)
        try codes.write(db)
        for column in LedgerColumn.all {
            try EncodedColumn(values[column]).write(number, column, db)
        }
        return zip(ids, values[.key]).map { (UInt64(bitPattern: $1), $0) }
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
    func read<Result>(
        _ number: Int64,
        _ column: LedgerColumn,
        _ use: (ColumnBlock) throws -> Result
    ) throws -> Result? {
        var result: Result?
        try find.fetch(bind: { $0.bind(ColumnBlock.id(number, column)) }) { row in
            result = try ColumnBlock(
                ColumnBlock.identity(number, column), count: ColumnBlock.rowCount, rules: row.integer(0),
                lowest: row.integer(1), highest: row.integer(2), offsets: row.blob(3), checksum: row.integer(4)
            ).map(use)
        }
        return result
    }
}

extension ColumnCodes {
    /// Reads the codes of some columns; the others stay empty.
    init(_ db: Database, _ columns: some Sequence<LedgerColumn> = LedgerColumn.coded) throws {
        self.init()
        for column in columns {
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: "SELECT code, value, checksum FROM column_value WHERE column_number = ? ORDER BY code"),
                arguments: [column.rawValue])
            while let row = try rows.next() {
                note(try row.text(1), code: try row.integer(0), column, checksum: try row.integer(2))
            }
            let highest = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT max(highest) FROM column_block WHERE \(ColumnBlock.columnSQL) = ?"),
                arguments: [column.rawValue])
            didRead(column, highestUsed: highest ?? 0)
        }
    }

    /// Writes new codes.
    func write(_ db: Database) throws {
        for column in LedgerColumn.coded {
            for (code, value) in fresh(column) {
                try db.cachedStatement(sql: "INSERT OR REPLACE INTO column_value VALUES (?, ?, ?, ?)").execute(
                    arguments: [column.rawValue, code, value, Self.checksum(column, code, value)])
            }
        }
    }
}
