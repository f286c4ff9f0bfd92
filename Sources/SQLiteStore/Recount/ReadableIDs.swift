import GRDB

/// Finds which rows of a table are not on damaged pages.
struct ReadableIDs {
    let db: Database
    /// A table with a column `id`, by which it is ordered.
    let table: String
    /// A condition that holds for each row, where each id has one; nil if an id may have any number of rows.
    ///
    /// With it, rows that damage put in the place of others are found out.
    var condition: String?

    /// How many ids are tried one by one, however damaged the table is.
    private static let mostProbes: Int64 = 1 << 20

    /// Ids whose rows can be read with one query.
    struct Part {
        let ids: ClosedRange<Int64>
        /// Whether it is one id, whose row has to be looked up by itself.
        fileprivate var isLookup = false
    }

    /// The ids that can be read, in ascending order; those without a row are part of them, unless each has one.
    ///
    /// A range that cannot be read is halved. Of a longer one than about a million ids of which none of some thousand
    /// can be read, nothing is taken to be left.
    ///
    /// - Throws: SQLite's errors, except for damage.
    func parts(of ids: ClosedRange<Int64>) throws -> [Part] {
        var parts: [Part] = []
        var pending = [ids]
        while let next = pending.popLast() {
            if try areReadable(next) {
                // Not joined with the one before: a query for both would read what lies between them.
                parts.append(Part(ids: next))
            } else if next.count > 1 {
                guard try isWorthHalving(next) else {
                    continue
                }
                let middle = next.lowerBound + Int64(next.count / 2)
                pending.append(middle...next.upperBound)
                pending.append(next.lowerBound...(middle - 1))
            } else if try canBeLookedUp(next.lowerBound) {
                parts.append(Part(ids: next, isLookup: true))
            }
        }
        return parts
    }

    /// Whether all rows of a range can be read.
    private func areReadable(_ ids: ClosedRange<Int64>) throws -> Bool {
        guard let condition else {
            // SQLite ends a range at the first id beyond it, so one that damage changed hides those behind it. Read
            // from the other end, it hides others.
            let ascending = try rowCount(ids, isAscending: true)
            return try ascending != nil && ascending == rowCount(ids, isAscending: false)
        }
        let areReadable = try Database.nilIfDamaged {
            var next = ids.lowerBound
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: "SELECT id, \(condition), * FROM \(table) WHERE \(inRange)"),
                arguments: arguments(ids))
            while let row = try rows.next() {
                guard try row.integer(0) == next && row.integer(1) == 1 else {
                    return false
                }
                next += 1
            }
            return next == ids.upperBound + 1
        }
        return areReadable ?? false
    }

    /// The number of rows in a range; nil if it has rows that cannot be read, are out of order or beyond it.
    private func rowCount(_ ids: ClosedRange<Int64>, isAscending: Bool) throws -> Int? {
        let order = isAscending ? "ASC" : "DESC"
        let count = try Database.nilIfDamaged { () -> Int? in
            var count = 0
            var last = isAscending ? ids.lowerBound : ids.upperBound
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: "SELECT id, * FROM \(table) WHERE id BETWEEN ? AND ? ORDER BY id \(order)"),
                arguments: [ids.lowerBound, ids.upperBound])
            while let row = try rows.next() {
                let id = try row.integer(0)
                guard ids.contains(id), isAscending ? id >= last : id <= last else {
                    return nil
                }
                last = id
                count += 1
            }
            return count
        }
        return count.flatMap(\.self)
    }

    /// Whether the row of an id can be looked up, and no other has that id.
    ///
    /// A row beside a damaged page can only be read like this, because a range is read from the row before to the one
    /// beyond it.
    private func canBeLookedUp(_ id: Int64) throws -> Bool {
        guard let condition else {
            return false
        }
        let isThere = try Database.nilIfDamaged {
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT id, \(condition), * FROM \(table) WHERE id = ?"), arguments: [id])
            return try row.map { try $0.integer(0) == id && $0.integer(1) == 1 } ?? false
        }
        guard isThere == true else {
            return false
        }
        // One whose id damage changed to this one stands beside it.
        return try [(id - 1, id, "ASC"), (id, id + 1, "DESC")].allSatisfy { first, last, order in
            var count = 0
            _ = try Database.nilIfDamaged {
                let ids = try Int64.fetchCursor(
                    db.cachedStatement(
                        sql: """
                            SELECT id FROM \(table) WHERE id BETWEEN ? AND ? AND \(condition) ORDER BY id \(order)
                            """), arguments: [first, last])
                while let found = try ids.next() {
                    count += found == id ? 1 : 0
                }
            }
            return count < 2
        }
    }

    /// The condition of a query for the rows of a range.
    ///
    /// Where each id has one row, it starts at the row before: of two with the same id, the wrong one may be found first.
    private var inRange: String {
        condition == nil ? "id BETWEEN ? AND ?" : "id BETWEEN ? - 1 AND ? AND +id >= ?"
    }

    /// The arguments of ``inRange``.
    private func arguments(_ ids: ClosedRange<Int64>) -> StatementArguments {
        condition == nil ? [ids.lowerBound, ids.upperBound] : [ids.lowerBound, ids.upperBound, ids.lowerBound]
    }

    /// The condition of a query for the rows of a part, and its arguments.
    func query(_ part: Part) -> (condition: String, arguments: StatementArguments) {
        part.isLookup ? ("id = ?", [part.ids.lowerBound]) : (inRange, arguments(part.ids))
    }

    private func isWorthHalving(_ ids: ClosedRange<Int64>) throws -> Bool {
        guard ids.count > Self.mostProbes else {
            return true
        }
        return try stride(from: ids.lowerBound, through: ids.upperBound, by: ids.count / 4_096).contains {
            try areReadable($0...$0)
        }
    }
}
