import AttributionStore
import GRDB
import GRDBSQLite

extension Database {
    /// Ends statements that run when a check throws, and throws what it threw.
    ///
    /// - Parameters:
    ///   - check: Is called every few thousand steps of SQLite.
    ///   - work: Reads.
    /// - Returns: What the work returns.
    /// - Throws: What the check throws, also if the work goes on without the statement; and what the work throws.
    func checking<Result>(_ check: AnswerCheck, _ work: () throws -> Result) throws -> Result {
        let watch = StatementWatch(check)
        sqlite3_progress_handler(
            sqliteConnection, StatementWatch.steps,
            { context in
                guard let context else {
                    return 0
                }
                return Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue().endsStatement ? 1 : 0
            }, Unmanaged.passUnretained(watch).toOpaque())
        defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(watch) {
            let result = Swift.Result { try work() }
            if let error = watch.error {
                throw error
            }
            return try result.get()
        }
    }
}

/// Whether a statement that runs is still wanted.
private final class StatementWatch {
    /// How often it is looked at, in steps of SQLite's virtual machine: the rows of some eighty postbacks.
    static let steps: Int32 = 2_000

    private let check: AnswerCheck
    /// What the check threw.
    private(set) var error: (any Error)?

    init(_ check: AnswerCheck) {
        self.check = check
    }

    var endsStatement: Bool {
        do {
            try check()
            return false
        } catch {
            self.error = error
            return true
        }
    }
}
