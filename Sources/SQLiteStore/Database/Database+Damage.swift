import GRDB

extension Database {
    /// Returns the result of `work`, or nil if it reads a damaged page, or a value that is not of its column's type: that
    /// of another table's page.
    ///
    /// - Throws: What `work` throws, except for `SQLITE_CORRUPT`.
    static func nilIfDamaged<Result>(_ work: () throws -> Result) throws -> Result? {
        do {
            return try work()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return nil
        } catch is RowDecodingError {
            return nil
        }
    }

    /// The problems that one of SQLite's checks finds; empty if there are none.
    ///
    /// - Parameters:
    ///   - check: `integrity_check` or `quick_check`, which does not compare indexes with their tables.
    ///   - limit: The most problems.
    /// - Returns: The problems.
    /// - Throws: SQLite's errors, except for damage that ends the check.
    func problems(of check: String, atMost limit: Int) throws -> [String] {
        var problems: [String] = []
        do {
            let results = try String.fetchCursor(self, sql: "PRAGMA \(check)(\(limit))")
            // The problems of all trees come as one result with many lines.
            while let result = try results.next() {
                problems += result.split(separator: "\n").map(String.init).filter { $0 != "ok" && !$0.hasPrefix("***") }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            problems.append("the file cannot be read completely")
        }
        return problems
    }
}
