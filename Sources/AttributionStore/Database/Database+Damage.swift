import GRDB

extension Database {
    /// Does work; nil when it meets a damaged page.
    ///
    /// - Throws: What the work throws, and what SQLite reports of anything but damage.
    static func passingDamage<Result>(_ work: () throws -> Result) throws -> Result? {
        do {
            return try work()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return nil
        }
    }

    /// What SQLite's own check finds wrong; empty when all is well.
    ///
    /// Pages that belong to no table are no damage: a repair leaves those of a damaged table behind.
    func structureProblems() throws -> [String] {
        var problems: [String] = []
        do {
            let results = try String.fetchCursor(self, sql: "PRAGMA quick_check(1000000)")
            // What is wrong with all the trees is one result of many lines.
            while let result = try results.next() {
                problems += result.split(separator: "\n").map(String.init).filter {
                    $0 != "ok" && !$0.hasPrefix("***") && !$0.hasSuffix("never used")
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // It ends so after the lines that say what is wrong.
            if problems.isEmpty {
                problems.append("it cannot be read to its end")
            }
        }
        return problems
    }
}
