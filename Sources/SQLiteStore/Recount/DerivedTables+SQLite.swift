import AttributionStore
import GRDB

extension DerivedTables {
    /// The statements that create them.
    var sql: String {
        switch self {
        case .columns: LedgerSchema.columns
        case .quarantineTotals: LedgerSchema.quarantineTotals
        case .deliveryCounts: LedgerSchema.counts
        }
    }

    /// The names of the tables, and of the indexes other than those of primary keys.
    var names: (tables: [String], indexes: [String]) {
        switch self {
        case .columns: (["column_block", "column_value"], ["column_block_highest"])
        case .quarantineTotals: (["quarantine_total"], [])
        case .deliveryCounts: (["delivery", "repeat_delay"], [])
        }
    }

    /// Whether all of them exist.
    func exist(_ db: Database) throws -> Bool {
        let names = names.tables + names.indexes
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM sqlite_schema WHERE name IN (\(marks))", arguments: StatementArguments(names)
        )
        return count == names.count
    }

    /// Whether all of them exist and pass SQLite's `integrity_check`.
    func areWhole(_ db: Database) throws -> Bool {
        guard try exist(db) else {
            return false
        }
        return try names.tables.allSatisfy { table in
            try Database.nilIfDamaged { try String.fetchOne(db, sql: "PRAGMA integrity_check('\(table)')") } == "ok"
        }
    }

    /// How damaged tables are removed.
    enum Removal {
        /// With DROP TABLE, which reads every page.
        case dropping
        /// By deleting them from the schema; their pages stay in the file, unused.
        case forgetting
    }

    /// Recreates the tables within a transaction, empty but for `counts`.
    ///
    /// - Throws: SQLite's errors; only ``Removal/dropping`` fails on a damaged page.
    func recreate(_ db: Database, _ removal: Removal, keeping counts: DeliveryTable? = nil) throws {
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
            // Makes SQLite reload the schema.
            try db.execute(sql: "PRAGMA writable_schema = RESET")
        }
        try db.execute(sql: sql)
        if self == .deliveryCounts {
            try counts?.write(db)
        }
    }

    /// Recreates missing tables, and the totals also if they are damaged; outside a transaction.
    ///
    /// Checking all columns would take minutes; each block is checked when it is used.
    static func recreateMissing(_ db: Database) throws {
        for tables in allCases {
            guard try tables == .quarantineTotals ? !tables.areWhole(db) : !tables.exist(db) else {
                continue
            }
            let counts = tables == .deliveryCounts ? try DeliveryTable(db) : nil
            func recreate(_ removal: Removal) throws {
                try db.inTransaction(.immediate) {
                    try tables.recreate(db, removal, keeping: counts)
                    return .commit
                }
            }
            if try Database.nilIfDamaged({ try recreate(.dropping) }) == nil {
                try recreate(.forgetting)
            }
            if tables == .quarantineTotals {
                // Separate, because SQLite commits nothing of a transaction that reads a damaged page; the totals then
                // stay empty.
                _ = try Database.nilIfDamaged { try db.execute(sql: Self.quarantineSums) }
            }
        }
    }

    private static let quarantineSums = """
        INSERT INTO quarantine_total SELECT class, count(*), sum(length(body)) FROM quarantine GROUP BY class
        """
}
