import GRDB

/// Reads consecutive rows of a table, past those that lie on damaged pages.
struct LedgerScan {
    let db: Database
    /// The columns, of which the first is `id`.
    let columns: String
    let table: String

    /// Hands over each row in the order of ids.
    ///
    /// - Parameters:
    ///   - ids: Which rows; the last must be no later than the newest there is.
    ///   - use: Takes a row.
    ///   - skip: Told of rows whose page is damaged.
    /// - Throws: What `use` and `skip` throw, and what SQLite reports of anything but damage.
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
                    // On a damaged page ids may be in any order.
                    guard (next...ids.upperBound).contains(id) else {
                        continue
                    }
                    next = id + 1
                    try use(row)
                }
                return
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                // On to the first row that can be read again; never to the same one, which a damaged page may show for ever.
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

    /// The newest row there is, by the rows and by the bodies: they differ only where one of the tables is damaged.
    ///
    /// - Throws: What SQLite reports of anything but damage.
    static func newestRow(_ db: Database) throws -> Int64 {
        let found = try ["SELECT max(id) FROM postback", "SELECT max(id) FROM postback_body"].compactMap { sql in
            try Database.passingDamage { try Int64.fetchOne(db.cachedStatement(sql: sql)) ?? 0 }
        }
        // No owner gives a greater id out.
        let plausible = found.filter { (0...Int64(UInt32.max)).contains($0) }
        guard let lower = plausible.min(), let upper = plausible.max() else {
            return 0
        }
        // An id far beyond those of the other table is damage; a few rows may be lost at the end of one.
        return upper - lower > Int64(ColumnBlock.rowCount) ? lower : upper
    }

    private func isReadable(_ id: Int64) -> Bool {
        (try? Row.fetchOne(db.cachedStatement(sql: "SELECT \(columns) FROM \(table) WHERE id = ?"), arguments: [id]))
            .flatMap(\.self) != nil
    }
}
