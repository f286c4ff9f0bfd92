import GRDB

/// Tables that hold nothing but what follows from others: when their pages are damaged, they are made again.
public enum DerivedTables: Hashable, CaseIterable, Sendable {
    /// The columns that reports are counted from.
    case columns
    /// How much of each class is in the quarantine.
    case quarantineTotals

    /// What makes them.
    var sql: String {
        switch self {
        case .columns: LedgerSchema.columns
        case .quarantineTotals: LedgerSchema.quarantineTotals
        }
    }

    /// The tables, and then the indexes that do not belong to a primary key.
    var names: (tables: [String], indexes: [String]) {
        switch self {
        case .columns: (["column_block", "column_value"], ["column_block_highest"])
        case .quarantineTotals: (["quarantine_total"], [])
        }
    }

    /// Whether all are there.
    func exist(_ db: Database) throws -> Bool {
        let names = names.tables + names.indexes
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM sqlite_schema WHERE name IN (\(marks))", arguments: StatementArguments(names)
        )
        return count == names.count
    }

    /// Whether all are there, and each of their pages can be read.
    func areWhole(_ db: Database) throws -> Bool {
        guard try exist(db) else {
            return false
        }
        return try names.tables.allSatisfy { table in
            try Database.passingDamage { try String.fetchOne(db, sql: "PRAGMA quick_check('\(table)')") } == "ok"
        }
    }

    /// Makes them anew and empty, within a transaction.
    ///
    /// To drop a table SQLite reads its pages. So the schema forgets it, and its pages are lost to the file; a table that
    /// is whole and only lacks its index goes the same way.
    func remake(_ db: Database) throws {
        try db.execute(sql: "PRAGMA writable_schema = ON")
        defer { try? db.execute(sql: "PRAGMA writable_schema = RESET") }
        for table in names.tables {
            try db.execute(sql: "DELETE FROM sqlite_schema WHERE tbl_name = ?", arguments: [table])
        }
        // SQLite reads the schema again.
        try db.execute(sql: "PRAGMA writable_schema = RESET")
        try db.execute(sql: sql)
    }

    /// Makes those anew of which something is missing.
    static func makeMissing(_ db: Database) throws {
        for tables in allCases where try !tables.exist(db) {
            try db.inTransaction(.immediate) {
                try tables.remake(db)
                return .commit
            }
        }
    }
}
