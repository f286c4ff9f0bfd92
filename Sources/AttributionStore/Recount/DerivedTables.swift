import GRDB

/// Tables that hold nothing but what follows from others: when their pages are damaged, they are made again.
package enum DerivedTables: Hashable, CaseIterable, Sendable {
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

    /// Whether all are there, each of their pages can be read, and the indexes say what the tables say.
    func areWhole(_ db: Database) throws -> Bool {
        guard try exist(db) else {
            return false
        }
        return try names.tables.allSatisfy { table in
            try Database.passingDamage { try String.fetchOne(db, sql: "PRAGMA integrity_check('\(table)')") } == "ok"
        }
    }

    /// How what is left of them goes.
    enum Removal {
        /// As SQLite drops a table; it reads every page.
        case dropping
        /// The schema forgets them, and their pages are lost to the file.
        case forgetting
    }

    /// Makes them anew and empty, within a transaction; what they hold is made by those who mend it.
    ///
    /// - Throws: What SQLite reports; a damaged page is met only by ``Removal/dropping``.
    func remake(_ db: Database, _ removal: Removal) throws {
        switch removal {
        case .dropping:
            for table in names.tables {
                try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
            }
        case .forgetting:
            try db.execute(sql: "PRAGMA writable_schema = ON")
            defer { try? db.execute(sql: "PRAGMA writable_schema = RESET") }
            for table in names.tables {
                try db.execute(sql: "DELETE FROM sqlite_schema WHERE tbl_name = ?", arguments: [table])
            }
            // SQLite reads the schema again.
            try db.execute(sql: "PRAGMA writable_schema = RESET")
        }
        try db.execute(sql: sql)
    }

    /// Makes those anew of which something is missing, and the totals when they are damaged; outside a transaction.
    ///
    /// Whether all the columns can be read takes minutes to find out. Each block is looked at when it is used.
    static func makeMissing(_ db: Database) throws {
        for tables in allCases {
            guard try tables == .quarantineTotals ? !tables.areWhole(db) : !tables.exist(db) else {
                continue
            }
            func remake(_ removal: Removal) throws {
                try db.inTransaction(.immediate) {
                    try tables.remake(db, removal)
                    return .commit
                }
            }
            if try Database.passingDamage({ try remake(.dropping) }) == nil {
                try remake(.forgetting)
            }
            if tables == .quarantineTotals {
                // By itself: after a damaged page SQLite commits nothing more of a transaction. Then they stay empty.
                _ = try Database.passingDamage { try db.execute(sql: Self.quarantineSums) }
            }
        }
    }

    private static let quarantineSums = """
        INSERT INTO quarantine_total SELECT class, count(*), sum(length(body)) FROM quarantine GROUP BY class
        """
}
