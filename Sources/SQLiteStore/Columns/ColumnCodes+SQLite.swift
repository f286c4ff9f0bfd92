import AttributionStore
import GRDB

extension ColumnCodes {
    /// Reads the codes of some columns.
    ///
    /// - Parameters:
    ///   - db: The store.
    ///   - columns: The columns to read; the others stay empty.
    /// - Throws: SQLite's errors.
    init(_ db: Database, _ columns: some Sequence<LedgerColumn> = LedgerColumn.coded) throws {
        self.init()
        for column in columns {
            let isRead: Void? = try Database.nilIfDamaged {
                try read(column, db)
            }
            let highest = try Database.nilIfDamaged {
                try Int64.fetchOne(
                    db.cachedStatement(sql: "SELECT max(highest) FROM column_block WHERE \(ColumnBlock.columnSQL) = ?"),
                    arguments: [column.rawValue]) ?? 0
            }
            // If only the index over codes is damaged, the texts tell which are in use.
            didRead(column, highestUsed: highest ?? (isRead == nil ? nil : 0))
        }
    }

    private mutating func read(_ column: LedgerColumn, _ db: Database) throws {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: "SELECT code, value, checksum FROM column_value WHERE column_number = ? ORDER BY code"),
            arguments: [column.rawValue])
        while let row = try rows.next() {
            note(try? row.text(1), code: try row.integer(0), column, checksum: try row.optional(2))
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
