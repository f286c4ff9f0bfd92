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
}
