import GRDB

/// Reads a table whose rows belong to quarters of an hour, passing over those on damaged pages.
struct QuarterScan {
    let db: Database
    /// The columns; the first is `quarter`.
    let columns: String
    let table: String

    /// The most quarters between two readable ones that are looked for one by one: three years.
    private static let mostProbes: Int64 = 105_192

    /// Calls a closure for each row that can be read, for some more than once.
    ///
    /// - Returns: Whether there is nothing else.
    /// - Throws: What the closure throws, and SQLite's errors, except for damage.
    func each(_ use: (Row) throws -> Void) throws -> Bool {
        guard try db.tableExists(table) else {
            return false
        }
        var (low, high): (Int64?, Int64?)
        guard
            try !read(
                "ORDER BY quarter",
                {
                    low = try $0.integer(0); try use($0)
                })
        else {
            return true
        }
        _ = try read(
            "ORDER BY quarter DESC",
            {
                high = try $0.integer(0); try use($0)
            })
        let first = low ?? high.map { $0.subtractingReportingOverflow(Self.mostProbes).partialValue }
        guard let first, case let last = high ?? first, first <= last else {
            return false
        }
        // Damage may make the difference overflow.
        let (distance, overflows) = last.subtractingReportingOverflow(first)
        for offset in 0...(overflows ? Self.mostProbes : min(Self.mostProbes, distance)) {
            _ = try read("WHERE quarter = \(first + offset)", use)
        }
        return false
    }

    private func read(_ clauses: String, _ use: (Row) throws -> Void) throws -> Bool {
        let isRead: Void? = try Database.nilIfDamaged {
            let rows = try Row.fetchCursor(db, sql: "SELECT \(columns) FROM \(table) \(clauses)")
            while let row = try rows.next() {
                try use(row)
            }
        }
        return isRead != nil
    }
}
