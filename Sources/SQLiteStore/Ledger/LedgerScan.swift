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
    /// Every id must have a row: an id that damage changed hides others, because SQLite ends a range at the first greater
    /// one, so each id without a row is looked for by itself.
    ///
    /// - Parameters:
    ///   - ids: The rows; the last must not be beyond the newest row.
    ///   - use: Takes a row.
    ///   - skip: Takes the id of a row whose page is damaged, or that is not there.
    /// - Throws: What the closures throw, and SQLite's errors, except for damage.
    func each(_ ids: ClosedRange<Int64>, _ use: (Row) throws -> Void, skip: (Int64) throws -> Void = { _ in }) throws {
        try each(ids, use, skip: skip, missing: skip)
    }

    /// Calls a closure for each row, as ``each(_:_:skip:)``, and one for each row that is not there.
    func each(
        _ ids: ClosedRange<Int64>, _ use: (Row) throws -> Void, skip: (Int64) throws -> Void,
        missing: (Int64) throws -> Void
    ) throws {
        var next = ids.lowerBound
        var lastStart: Int64?
        while next <= ids.upperBound {
            do {
                let rows = try Row.fetchCursor(
                    db, sql: "SELECT \(columns) FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id",
                    arguments: [next, ids.upperBound])
                var held: Row?
                while let row = try rows.next() {
                    let id = try row.integer(0)
                    if let first = held {
                        held = nil
                        if id == next + 1 {
                            // The row before stood where this id should be: its own was changed.
                            try missing(next)
                            next += 1
                        } else {
                            try take(first, after: &next, use, missing)
                        }
                    }
                    // Ids on a damaged page may be in any order.
                    guard (next...ids.upperBound).contains(id) else {
                        continue
                    }
                    guard id == next else {
                        held = row.copy()
                        continue
                    }
                    next = id + 1
                    try use(row)
                }
                if let held {
                    try take(held, after: &next, use, missing)
                }
                guard next <= ids.upperBound else {
                    return
                }
                try missing(next)
                next += 1
                while next <= ids.upperBound, !isReadable(next) {
                    try missing(next)
                    next += 1
                }
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

    /// Takes a row that comes after ids without one.
    private func take(
        _ row: Row, after next: inout Int64, _ use: (Row) throws -> Void, _ missing: (Int64) throws -> Void
    ) throws {
        let id = try row.integer(0)
        while next < id {
            try missing(next)
            next += 1
        }
        next = id + 1
        try use(row)
    }

    /// The id of the newest row, from the tables of rows and of bodies, which differ only if one of them is damaged.
    ///
    /// Every id has a row, so where they differ, one that damage changed has none before it.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func newestRow(_ db: Database) throws -> Int64 {
        let found = try ["postback", "postback_body"].compactMap { table in
            try Database.nilIfDamaged { try lastIDs(table, db) }
        }
        if found.count == 2, found[0].greatest == found[1].greatest {
            return found[0].greatest
        }
        return found.map(\.last).max() ?? 0
    }

    /// The greatest id of a table, and the greatest with another just before it; 0 for none.
    private static func lastIDs(_ table: String, _ db: Database) throws -> (greatest: Int64, last: Int64) {
        // Owners assign no greater ids.
        var bound = Int64(UInt32.max)
        var greatest: Int64?
        while true {
            let ids = try Int64.fetchAll(
                db.cachedStatement(sql: "SELECT id FROM \(table) WHERE id BETWEEN 1 AND ? ORDER BY id DESC LIMIT 2"),
                arguments: [bound])
            guard let id = ids.first, id <= bound else {
                return (greatest ?? 0, 0)
            }
            greatest = greatest ?? id
            guard id - 1 != (ids.count == 2 ? ids[1] : 0) else {
                return (greatest ?? id, id)
            }
            bound = id - 1
        }
    }

    private func isReadable(_ id: Int64) -> Bool {
        (try? Row.fetchOne(db.cachedStatement(sql: "SELECT \(columns) FROM \(table) WHERE id = ?"), arguments: [id]))
            .flatMap(\.self) != nil
    }
}
