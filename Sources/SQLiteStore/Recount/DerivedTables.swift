import AttributionStore
import GRDB

/// The tables whose rows follow from those of others, or are worth little: those that are missing are made again.
enum DerivedTables {
    /// Their names; the quarantine's rows are worth something, so a repair alone makes it again, which an owner names.
    static let names = columns + ["quarantine_total", "delivery", "repeat_delay", "recipient_copy"]

    private static let columns = ["column_block", "column_value"]

    /// Begins with ids that no body had: there was less than one body in each millisecond since 1970.
    static let quarantine =
        LedgerSchema.quarantine + """
            INSERT INTO sqlite_sequence (name, seq) SELECT 'quarantine', unixepoch() * 1000
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'quarantine')
            """

    /// Makes those that are missing, without rows but for the quarantine's totals; a repair fills them.
    static func makeMissing(_ db: Database) throws {
        if try !columns.allSatisfy({ try db.tableExists($0) }) {
            // Codes would get other texts than blocks mean.
            for table in columns {
                try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
            }
            try db.execute(sql: LedgerSchema.columns)
        }
        try db.execute(sql: LedgerSchema.copies + LedgerSchema.counts)
        if try !db.tableExists("quarantine_total"), try db.tableExists("quarantine") {
            try db.execute(sql: LedgerSchema.quarantineTotals)
            for kind in QuarantineClass.allCases {
                try sumQuarantine(of: kind.rawValue, db)
            }
        }
    }

    /// Sums up a class of the quarantine.
    static func sumQuarantine(of kind: String, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO quarantine_total
                SELECT :class, count(*), coalesce(sum(length(body)), 0) FROM quarantine WHERE class = :class
                ON CONFLICT DO UPDATE SET count = excluded.count, bytes = excluded.bytes
                """, arguments: ["class": kind])
    }
}
