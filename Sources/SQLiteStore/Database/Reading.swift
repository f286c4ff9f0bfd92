import AttributionStore
import Foundation
import GRDB
import GRDBSQLite

/// Typed access to columns that throws on an unexpected value, which a damaged row may hold, instead of trapping.
extension Row {
    /// An INTEGER column that is never NULL.
    func integer(_ index: Int) throws -> Int64 {
        try checked(index)
    }

    /// A TEXT column that is never NULL.
    func text(_ index: Int) throws -> String {
        try checked(index)
    }

    /// A TEXT column that holds one of a fixed set of values.
    func word<Word: RawRepresentable<String>>(_ index: Int) throws -> Word {
        guard let word = Word(rawValue: try text(index)) else {
            throw DatabaseError.damagedColumn
        }
        return word
    }

    /// A BLOB column that is never NULL.
    func bytes(at index: Int) throws -> [UInt8] {
        Array(try checked(index) as Data)
    }

    /// A digest; nil for any other value.
    func digest(at index: Int) throws -> Digest16? {
        try withUnsafeData(atIndex: index) { $0?.withUnsafeBytes { Digest16($0) } }
    }

    /// A value that may be NULL.
    func optional<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value? {
        let value = self[index] as DatabaseValue
        return value.isNull ? nil : try checked(index)
    }

    /// A value that is never NULL.
    func checked<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value {
        guard let value = Value.fromDatabaseValue(self[index] as DatabaseValue) else {
            throw DatabaseError.damagedColumn
        }
        return value
    }
}

extension DatabaseError {
    /// Thrown when a column holds an unexpected value, or a row is missing.
    static let damagedColumn = DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "a column holds an unexpected value")
}

extension StoreFault {
    /// Classifies a result code.
    init(_ error: DatabaseError) {
        self =
            switch error.resultCode {
            case .SQLITE_FULL: .diskFull
            case .SQLITE_IOERR: .input(code: error.extendedResultCode.rawValue)
            case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: .locked
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .readOnly
            case .SQLITE_CANTOPEN: .cannotOpen
            // SQLITE_ERROR: a statement of ours that does not fit the schema, because a table is missing.
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR: .damaged
            default: .other(code: error.extendedResultCode.rawValue)
            }
    }
}

extension StoreError {
    /// Translates SQLite's errors, and those of reading a row; other errors are rethrown unchanged.
    static func translating<Result>(_ path: String, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            throw translated(path, error)
        }
    }

    /// Translates SQLite's errors of asynchronous work.
    static func translating<Result: Sendable>(
        _ path: String, _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch {
            throw translated(path, error)
        }
    }

    private static func translated(_ path: String, _ error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError: StoreError.failed(path: path, StoreFault(error))
        case is RowDecodingError: StoreError.failed(path: path, .damaged)
        default: error
        }
    }
}

extension Database {
    /// Ends statements that run when a check throws, and throws what it threw.
    ///
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

    /// The problems that one of SQLite's checks finds; empty if there are none.
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

/// Whether a running statement is still wanted.
private final class StatementWatch {
    /// How often the check is called, in steps of SQLite's virtual machine: the rows of some eighty postbacks.
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
