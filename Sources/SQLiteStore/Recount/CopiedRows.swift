import AttributionStore
import GRDB

/// How much a repair copies in one transaction to replace a table, at most.
struct CopiedRows {
    /// The postbacks, or copies for other recipients, of which something is copied.
    private(set) var postbacks: Int64 = 0
    private let tables: RecreatableTables

    /// Copying the columns of this many postbacks takes about as long as copying one row, because columns have some 24
    /// bytes of a postback.
    private static let postbacksPerRow: Int64 = 32

    /// How many rows of a table of postbacks are copied in the same time.
    var rows: Int64 {
        tables == .columns ? (postbacks + Self.postbacksPerRow - 1) / Self.postbacksPerRow : postbacks
    }

    /// Counts them; none are copied of tables that are derived from others.
    ///
    /// - Throws: SQLite's errors, except for damage.
    init(_ tables: RecreatableTables, _ db: Database) throws {
        self.tables = tables
        switch tables {
        case .quarantine, .quarantineTotals, .deliveryCounts: break
        case .columns: postbacks = try db.tableExists("column_block") ? LedgerScan.newestRow(db) : 0
        case .postbacks, .bodies: postbacks = try LedgerScan.newestStored(db)
        case .recipientCopies:
            guard try tables.exist(db), case let before = try countCopies("ASC", db), before.isDamaged else {
                return
            }
            // From the first damaged page to the last there is at most one copy of each postback.
            let newest = try LedgerScan.newestRow(db)
            let after = try countCopies("DESC", db).last ?? newest
            postbacks += max(0, min(max(after, 0), newest) - min(max(before.last ?? 0, 0), newest))
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
        postbacks += found
        return (last, isWhole == nil)
    }
}
