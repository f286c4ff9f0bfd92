import Attribution
import AttributionStore
import GRDB

extension RecreatableTables {
    /// The statements that create them.
    var sql: String {
        switch self {
        case .quarantine: LedgerSchema.quarantine
        case .columns: LedgerSchema.columns
        case .quarantineTotals: LedgerSchema.quarantineTotals
        case .deliveryCounts: LedgerSchema.counts
        case .recipientCopies: LedgerSchema.copies
        case .postbacks: LedgerSchema.postbacks
        case .bodies: LedgerSchema.bodies
        }
    }

    /// The names of the tables, and of the indexes other than those of primary keys.
    var names: (tables: [String], indexes: [String]) {
        switch self {
        case .quarantine: (["quarantine"], ["quarantine_class", "quarantine_received", "quarantine_postback"])
        case .columns: (["column_block", "column_value"], ["column_block_highest"])
        case .quarantineTotals: (["quarantine_total"], [])
        case .deliveryCounts: (["delivery", "repeat_delay"], [])
        case .recipientCopies: (["recipient_copy"], [])
        case .postbacks: (["postback"], [])
        case .bodies: (["postback_body"], [])
        }
    }

    /// Whether all of them exist, with or without their indexes, which no answer needs.
    func exist(_ db: Database) throws -> Bool {
        try Self.exist(names.tables, db)
    }

    private static func exist(_ names: [String], _ db: Database) throws -> Bool {
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM sqlite_schema WHERE name IN (\(marks))", arguments: StatementArguments(names)
        )
        return count == names.count
    }

    /// Returns the result of `work`, or nil if it reads a damaged page or they do not exist.
    ///
    /// - Throws: What `work` throws, except for damage.
    func read<Result>(_ db: Database, _ work: () throws -> Result) throws -> Result? {
        try exist(db) ? Database.nilIfDamaged(work) : nil
    }

    /// Whether all of them and their indexes exist and pass SQLite's `integrity_check`; of postbacks, whether their rows
    /// can be read, and of the quarantine, whether it exists.
    func areWhole(_ db: Database) throws -> Bool {
        guard self != .quarantine else {
            return try exist(db)
        }
        guard try Self.exist(names.tables + names.indexes, db) else {
            return false
        }
        guard !areRecorded else {
            return try areRowsReadable(db)
        }
        return try passIntegrityCheck(db)
    }

    /// Whether all of them pass SQLite's `integrity_check`.
    func passIntegrityCheck(_ db: Database) throws -> Bool {
        try names.tables.allSatisfy { table in
            try Database.nilIfDamaged { try String.fetchOne(db, sql: "PRAGMA integrity_check('\(table)')") } == "ok"
        }
    }

    /// Whether the rows of postbacks can be read, and are in the order of their ids and of their columns' types.
    ///
    /// A row with one value that cannot be is readable, too.
    private func areRowsReadable(_ db: Database) throws -> Bool {
        let table = names.tables[0]
        let newest = try LedgerScan.newestStored(db)
        let types = try Self.typeConditions(table, db)
        let areReadable = try Database.nilIfDamaged {
            var last: Int64 = 0
            let rows = try Row.fetchCursor(db, sql: "SELECT id, \(types) FROM \(table)")
            while let row = try rows.next() {
                let id = try row.integer(0)
                guard id > last, id <= newest, try row.integer(1) == 1 else {
                    return false
                }
                last = id
            }
            return true
        }
        return areReadable ?? false
    }

    /// That each value of a row is of its column's type, which a page of another table shows not to be the case.
    static func typeConditions(_ table: String, _ db: Database) throws -> String {
        try db.columns(in: table).map { "typeof(\($0.name)) = '\($0.type.lowercased())'" }.joined(separator: " AND ")
    }

    /// Finds which rows of a table can be read.
    func readableIDs(_ table: String, _ db: Database) throws -> ReadableIDs {
        ReadableIDs(db: db, table: table, condition: areRecorded ? try Self.typeConditions(table, db) : nil)
    }

    /// Recreates the tables within a transaction, with what remains of them.
    ///
    /// A damaged table is only deleted from the schema. Its pages stay in the file, unused: another table may have them
    /// too, if a damaged page leads there, and rows of postbacks may still be found in them. So a table of bodies that
    /// is whole but for some of them is not recreated: the file would grow by all bodies.
    ///
    /// - Throws: SQLite's errors.
    func recreate(_ db: Database, keeping remains: Remains) throws {
        guard self != .bodies || !remains.canTakeBodies else {
            return try remains.bodies.write(db)
        }
        guard try self != .quarantine || !exist(db) else {
            return
        }
        guard let rows = remains.rows[self], let table = names.tables.first else {
            // Where not even the ids of what was recorded are known, an empty table would only hide it.
            guard try !areRecorded || !exist(db) && LedgerScan.newestStored(db) > 0 else {
                return
            }
            let renamed = remains.columns?.renamedTable
            if self == .columns, let renamed {
                try db.execute(sql: "ALTER TABLE column_block RENAME TO \(renamed)")
            }
            // An index of a table that was renamed keeps its name.
            try Self.forget(names.tables + names.indexes, db)
            try db.execute(sql: sql)
            switch self {
            case .columns:
                try remains.columns?.write(db)
                try Self.forget(renamed.map { [$0] } ?? [], db)
            case .deliveryCounts: try remains.counts?.write(db)
            case .bodies: try remains.bodies.write(db)
            case .quarantine: try db.execute(sql: Self.quarantineIDs)
            case .quarantineTotals, .recipientCopies, .postbacks: break
            }
            return
        }
        try db.execute(sql: "ALTER TABLE \(table) RENAME TO damaged_\(table); \(sql)")
        let types = try Self.typeConditions(table, db)
        let readable = try readableIDs(table, db)
        if self == .postbacks {
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
        }
        defer { try? db.execute(sql: "PRAGMA ignore_check_constraints = OFF") }
        for part in rows {
            let query = readable.query(part)
            // Damage may have changed a value to one that is refused.
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO \(table) SELECT * FROM damaged_\(table)
                    WHERE \(query.condition) AND \(types)
                    """, arguments: query.arguments)
        }
        if self == .bodies {
            try remains.bodies.write(db)
        }
        try Self.forget(["damaged_\(table)"], db)
    }

    /// Deletes tables with their indexes, or indexes, from the schema.
    private static func forget(_ names: [String], _ db: Database) throws {
        try db.execute(sql: "PRAGMA writable_schema = ON")
        defer { try? db.execute(sql: "PRAGMA writable_schema = RESET") }
        for name in names {
            try db.execute(sql: "DELETE FROM sqlite_schema WHERE ? IN (name, tbl_name)", arguments: [name])
        }
        // Makes SQLite reload the schema.
        try db.execute(sql: "PRAGMA writable_schema = RESET")
    }

    /// Recreates missing tables, and the totals also if they are damaged; outside a transaction.
    ///
    /// Checking all columns would take minutes; each block is checked when it is used. Of the tables of columns only those
    /// that are missing are made, empty: reports count from bytes what they had, and a repair fills them.
    static func recreateMissing(_ db: Database) throws {
        for table in LedgerSchema.columnTables {
            // A damaged page keeps an index from being made, without which codes are assigned more slowly.
            _ = try Database.nilIfDamaged { try db.execute(sql: table) }
        }
        for tables in allCases where tables.areMadeByOwner && tables != .columns {
            guard try tables == .quarantineTotals ? !tables.areWhole(db) : !tables.exist(db) else {
                continue
            }
            let remains = try Remains(db, of: [tables])
            try db.inTransaction(.immediate) {
                try tables.recreate(db, keeping: remains)
                return .commit
            }
            if try tables == .quarantineTotals && quarantine.exist(db) {
                // Separate, because SQLite commits nothing of a transaction that reads a damaged page; the totals then
                // stay empty.
                _ = try Database.nilIfDamaged { try db.execute(sql: Self.quarantineSums) }
            }
        }
    }

    /// Begins with ids that no body had, because copies of the store know what is gone by its id.
    ///
    /// There was less than one body in each millisecond since 1970.
    private static let quarantineIDs = """
        INSERT INTO sqlite_sequence (name, seq) SELECT 'quarantine', unixepoch() * 1000
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'quarantine')
        """

    private static let quarantineSums = """
        INSERT INTO quarantine_total SELECT class, count(*), sum(length(body)) FROM quarantine GROUP BY class
        """
}
