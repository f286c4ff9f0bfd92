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

    /// The problems that SQLite's `quick_check` finds; empty if there are none.
    ///
    /// Unused pages are not reported, because a repair may leave the pages of a damaged table behind.
    func structureProblems() throws -> [String] {
        var problems: [String] = []
        do {
            let results = try String.fetchCursor(self, sql: "PRAGMA quick_check(1000000)")
            // The problems of all trees come as one result with many lines.
            while let result = try results.next() {
                problems += result.split(separator: "\n").map(String.init).filter {
                    $0 != "ok" && !$0.hasPrefix("***") && !$0.hasSuffix("never used")
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // The check itself may fail after it has reported problems.
            if problems.isEmpty {
                problems.append("the file cannot be read completely")
            }
        }
        return problems
    }
}
