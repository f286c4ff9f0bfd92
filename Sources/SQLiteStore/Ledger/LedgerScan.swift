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
        var asked: Int64?
        while next <= ids.upperBound {
            guard asked != next else {
                // Never ask twice from the same row, or the loop might not end.
                try skip(next)
                next += 1
                continue
            }
            asked = next
            do {
                try readOn(&next, ids.upperBound, use, missing)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                try passOver(&next, before: ids.upperBound + 1, skip)
            }
        }
    }

    /// Reads rows from one on, until the last, or until one turns out to be out of place.
    private func readOn(
        _ next: inout Int64, _ last: Int64, _ use: (Row) throws -> Void, _ missing: (Int64) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT \(columns) FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id", arguments: [next, last])
        // A row whose id is not the next one: ids before it are missing, or its own was changed.
        var held: Row?
        while let row = try rows.next() {
            let id = try row.integer(0)
            if let first = held {
                held = nil
                if id == next + 1 {
                    // It stood where the next id should be.
                    try missing(next)
                    next += 1
                } else if try !take(first, after: &next, use, missing) {
                    return
                }
            }
            // Ids on a damaged page may be in any order.
            guard next <= id, id <= last else {
                continue
            }
            guard id == next else {
                held = row.copy()
                continue
            }
            next = id + 1
            try use(row)
        }
        if let held, try !take(held, after: &next, use, missing) {
            return
        }
        try passOver(&next, before: last + 1, missing)
    }

    /// Takes a row that comes after ids without one.
    ///
    /// - Returns: Whether it was taken: not if an id before it has a row after all, and so its own must have been changed.
    private func take(
        _ row: Row, after next: inout Int64, _ use: (Row) throws -> Void, _ missing: (Int64) throws -> Void
    ) throws -> Bool {
        let id = try row.integer(0)
        try passOver(&next, before: id, missing)
        guard next == id else {
            return false
        }
        next = id + 1
        try use(row)
        return true
    }

    /// Passes over ids without a row that can be read, up to one with such a row.
    private func passOver(_ next: inout Int64, before end: Int64, _ pass: (Int64) throws -> Void) throws {
        while next < end, !isReadable(next) {
            try pass(next)
            next += 1
        }
    }

    /// The id of the newest postback, also if its row and its body are lost and a block of columns has it.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func newestRow(_ db: Database) throws -> Int64 {
        let stored = try newestStored(db)
        return try ColumnBlock.lastProven(db, after: stored) ?? stored
    }

    /// The id of the newest row, from the tables of rows and of bodies, which differ only if one of them is damaged.
    ///
    /// Every id has a row, so where they differ, one that damage changed has none before it. If one of the ends
    /// cannot be read, it is the last row that can be in either. A table that is missing has none.
    ///
    /// - Throws: SQLite's errors, except for damage.
    static func newestStored(_ db: Database) throws -> Int64 {
        let tables = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('postback', 'postback_body')
                    """))
        let found = try tables.compactMap { table in
            try Database.nilIfDamaged { try lastIDs(table, db) }
        }
        if found.count == 2, found[0].greatest == found[1].greatest {
            return found[0].greatest
        }
        let last = found.map(\.last).max() ?? 0
        guard found.count < tables.count else {
            return last
        }
        // The end that can be read may be short, too.
        return try max(last, tables.map { try lastReadable($0, db) }.max() ?? 0)
    }

    /// The greatest id that can be looked up in a table whose end is damaged; 0 for none.
    ///
    /// - Throws: SQLite's errors, except for damage: an id that is taken for free would be assigned again.
    private static func lastReadable(_ table: String, _ db: Database) throws -> Int64 {
        func isThere(_ id: Int64) throws -> Bool {
            let found = try Database.nilIfDamaged {
                try Int64.fetchOne(
                    db.cachedStatement(sql: "SELECT id FROM \(table) WHERE id = ?"), arguments: [id])
            }
            return found == id
        }
        var last: Int64 = 0
        // The index in memory has 32 bits for a row.
        var end = Int64(UInt32.max)
        // Some thousand ids at each step. A damaged page in the middle may have the one behind the last one found, so
        // the next step goes on to the second one.
        for step: Int64 in [1 << 20, 1 << 9, 1] {
            let ids = stride(from: last + step, through: end, by: Int(step))
            last = try ids.reversed().first(where: isThere) ?? last
            end = min(end, last + 2 * step)
        }
        return last
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
