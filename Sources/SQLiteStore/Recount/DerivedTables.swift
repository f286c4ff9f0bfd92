import AttributionStore
import GRDB

/// The tables whose rows follow from those of others, or are worth little: a repair makes those that are missing again.
enum DerivedTables {
    private static let columns = ["column_block", "column_value"]

    /// Makes those that are missing, without rows.
    static func makeMissing(_ db: Database) throws {
        if try !columns.allSatisfy({ try db.tableExists($0) }) {
            // Codes would get other texts than blocks mean.
            for table in columns {
                try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
            }
            try db.execute(sql: LedgerSchema.columns)
        }
        try db.execute(sql: LedgerSchema.copies + LedgerSchema.counts + LedgerSchema.quarantineTotals)
        if try !db.tableExists("quarantine") {
            // With ids that no body had: there was less than one body in each millisecond since 1970.
            try db.execute(
                sql: LedgerSchema.quarantine
                    + "INSERT INTO sqlite_sequence (name, seq) SELECT 'quarantine', unixepoch() * 1000")
        }
    }
}
