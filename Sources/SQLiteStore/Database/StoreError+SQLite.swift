import AttributionStore
import GRDB

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
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
            default: .other(code: error.extendedResultCode.rawValue)
            }
    }
}

extension StoreError {
    /// Translates SQLite's errors; other errors are rethrown unchanged.
    static func translating<Result>(_ path: String, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DatabaseError {
            throw StoreError.failed(path: path, StoreFault(error))
        }
    }

    /// Translates SQLite's errors of asynchronous work.
    static func translating<Result: Sendable>(
        _ path: String,
        _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as DatabaseError {
            throw StoreError.failed(path: path, StoreFault(error))
        }
    }
}
