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
    /// - Throws: What `use` throws, and what SQLite reports of anything but damage.
    func each(_ ids: ClosedRange<Int64>, _ use: (Row) throws -> Void, skip: (Int64) -> Void = { _ in }) throws {
        var next = ids.lowerBound
        while next <= ids.upperBound {
            do {
                let rows = try Row.fetchCursor(
                    db, sql: "SELECT \(columns) FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id",
                    arguments: [next, ids.upperBound])
                while let row = try rows.next() {
                    next = row[0] as Int64 + 1
                    try use(row)
                }
                return
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                // On to the first row that can be read again.
                while next <= ids.upperBound, !isReadable(next) {
                    skip(next)
                    next += 1
                }
            }
        }
    }

    /// The newest row there is; found by its body, or by the index, where the last page of rows is damaged.
    ///
    /// - Throws: What SQLite reports of anything but damage.
    static func newestRow(_ db: Database) throws -> Int64 {
        for sql in [
            "SELECT max(id) FROM postback", "SELECT max(id) FROM postback_body",
            "SELECT first_id + length(digests) / 8 - 1 FROM key_block ORDER BY first_id DESC LIMIT 1",
        ] {
            do {
                return try Int64.fetchOne(db, sql: sql) ?? 0
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                continue
            }
        }
        return 0
    }

    private func isReadable(_ id: Int64) -> Bool {
        (try? Row.fetchOne(db.cachedStatement(sql: "SELECT \(columns) FROM \(table) WHERE id = ?"), arguments: [id]))
            .flatMap(\.self) != nil
    }
}
