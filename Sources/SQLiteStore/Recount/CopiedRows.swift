import AttributionStore
import GRDB

/// How many rows a repair copies in one transaction to replace a table, at most; of columns, of how many postbacks.
struct CopiedRows {
    private(set) var count: Int64 = 0

    /// Of how many postbacks columns are copied in the time of one row: they have some 24 bytes of each.
    static let postbacksPerRow: Int64 = 32

    /// Counts them; none are copied of tables that are derived from others.
    ///
    /// - Throws: SQLite's errors, except for damage.
    init(_ tables: RecreatableTables, _ db: Database) throws {
        switch tables {
        case .quarantineTotals, .deliveryCounts: break
        case .columns: count = try db.tableExists("column_block") ? LedgerScan.newestRow(db) : 0
        case .postbacks, .bodies: count = try LedgerScan.newestStored(db)
        case .recipientCopies:
            guard try tables.exist(db), case let before = try countCopies("ASC", db), before.isDamaged else {
                return
            }
            // From the first damaged page to the last there is at most one copy of each postback.
            let newest = try LedgerScan.newestRow(db)
            let after = try countCopies("DESC", db).last ?? newest
            count += max(0, min(max(after, 0), newest) - min(max(before.last ?? 0, 0), newest))
        }
    }

    /// Counts copies up to a damaged page.
    ///
    /// - Returns: The id of the last one, and whether there is a damaged page.
    private mutating func countCopies(_ order: String, _ db: Database) throws -> (last: Int64?, isDamaged: Bool) {
        var last: Int64?
        var found: Int64 = 0
        let isWhole: Void? = try Database.nilIfDamaged {
            let rows = try Row.fetchCursor(db, sql: "SELECT id FROM recipient_copy ORDER BY id \(order)")
            while let row = try rows.next() {
                last = try row.integer(0)
                found += 1
            }
        }
        count += found
        return (last, isWhole == nil)
    }
}
