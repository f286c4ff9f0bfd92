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
}
