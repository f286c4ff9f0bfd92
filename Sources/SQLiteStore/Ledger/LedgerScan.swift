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
        // The last few rows of one table may be lost; an id far beyond those of the other table is damage, unless the
        // other table has lost its rows: the blocks of columns tell, which end less than a block before.
        guard upper - lower > Int64(ColumnBlock.rowCount) else {
            return upper
        }
        let block = try Database.nilIfDamaged {
            try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM column_block"))
        }
        guard let id = block ?? nil, case let number = ColumnBlock.number(ofBlockAt: id),
            (0...upper / Int64(ColumnBlock.rowCount)).contains(number)
        else {
            return lower
        }
        let last = ColumnBlock.ids(number).upperBound
        return abs(upper - last) < abs(lower - last) ? upper : lower
    }

    private func isReadable(_ id: Int64) -> Bool {
        (try? Row.fetchOne(db.cachedStatement(sql: "SELECT \(columns) FROM \(table) WHERE id = ?"), arguments: [id]))
            .flatMap(\.self) != nil
    }
}
