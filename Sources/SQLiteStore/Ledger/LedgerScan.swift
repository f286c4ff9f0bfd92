import AttributionStore
import GRDB

/// Reads consecutive rows of a table, skipping those on damaged pages.
struct LedgerScan {
    let db: Database
    /// The columns; the first is `id`.
    let columns: String
    let table: String

    /// Calls a closure for each row, in ascending order of ids.
    ///
    /// - Parameters:
    ///   - ids: The rows; the last must not be beyond the newest row.
    ///   - use: Takes a row.
    ///   - skip: Takes the id of a row whose page is damaged.
    /// - Throws: What `use` and `skip` throw, and SQLite's errors, except for damage.
    func each(_ ids: ClosedRange<Int64>, _ use: (Row) throws -> Void, skip: (Int64) throws -> Void = { _ in }) throws {
        var next = ids.lowerBound
        var lastStart: Int64?
        while next <= ids.upperBound {
            do {
                let rows = try Row.fetchCursor(
                    db, sql: "SELECT \(columns) FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id",
                    arguments: [next, ids.upperBound])
                while let row = try rows.next() {
                    let id = try row.integer(0)
                    // Ids on a damaged page may be in any order.
                    guard (next...ids.upperBound).contains(id) else {
                        continue
                    }
                    next = id + 1
                    try use(row)
                }
                return
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                // Continue at the next readable row, but never twice at the same one, or the loop might not end.
                if lastStart == next {
                    try skip(next)
                    next += 1
                }
                lastStart = next
                while next <= ids.upperBound, !isReadable(next) {
                    try skip(next)
                    next += 1
                }
            }
        }
    }

    /// The id of the newest row, from the tables of rows and of bodies, which differ only if one of them is damaged.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func newestRow(_ db: Database) throws -> Int64 {
        let found = try ["SELECT max(id) FROM postback", "SELECT max(id) FROM postback_body"].compactMap { sql in
            try Database.nilIfDamaged { try Int64.fetchOne(db.cachedStatement(sql: sql)) ?? 0 }
        }
        // Owners assign no greater ids.
        let plausible = found.filter { (0...Int64(UInt32.max)).contains($0) }
        guard let lower = plausible.min(), let upper = plausible.max() else {
            return 0
        }
        // The last few rows of one table may be lost; an id far beyond those of the other table is damage.
        return upper - lower > Int64(ColumnBlock.rowCount) ? lower : upper
    }

    private func isReadable(_ id: Int64) -> Bool {
        (try? Row.fetchOne(db.cachedStatement(sql: "SELECT \(columns) FROM \(table) WHERE id = ?"), arguments: [id]))
            .flatMap(\.self) != nil
    }
}
