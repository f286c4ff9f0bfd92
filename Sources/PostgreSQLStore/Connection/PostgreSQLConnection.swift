import CPostgreSQL
import Foundation
import Synchronization

/// One connection, used by one thread at a time: those who own one keep it behind a lock.
///
/// Statements are never prepared under a name and settings never outlive a transaction, so that a pooler may hand each
/// transaction to another server process.
final class PostgreSQLConnection: Sendable {
    // Whoever owns the connection locks it.
    nonisolated(unsafe) private let connection: OpaquePointer
    private let notices = Notices()
    /// Ends the statement that runs, from any thread.
    let canceler: StatementCanceler
    private let lost = Atomic(false)
    private let isInTransaction = Atomic(false)

    /// Warnings of the statement that runs.
    private final class Notices: Sendable {
        let warnings = Atomic(0)
    }

    /// Connects.
    init(_ address: PostgreSQLAddress) throws {
        let keywords = address.options.map { UnsafePointer(strdup($0.keyword)) } + [nil]
        let values = address.options.map { UnsafePointer(strdup($0.value)) } + [nil]
        defer {
            for text in keywords + values {
                free(UnsafeMutablePointer(mutating: text))
            }
        }
        guard let connection = cpq_connectdbParams(keywords, values, 0) else {
            throw NoConnection(reason: "out of memory")
        }
        guard cpq_status(connection) == CPQ_CONNECTION_OK, let cancel = cpq_getCancel(connection) else {
            let problem = PostgreSQLFault(sqlState: nil, message: String(cString: cpq_errorMessage(connection)))
            cpq_finish(connection)
            throw NoConnection(reason: problem.message, isVerified: address.verifiesServer)
        }
        self.connection = connection
        canceler = StatementCanceler(cancel)
        cpq_setNoticeReceiver(
            connection,
            { context, result in
                guard let context, let severity = cpq_resultErrorField(result, Int32(CPQ_DIAG_SEVERITY)) else {
                    return
                }
                if String(cString: severity) == "WARNING" {
                    Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().warnings.add(1, ordering: .relaxed)
                }
            }, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit {
        cpq_finish(connection)
    }

    /// Whether it broke; then it can only be dropped.
    private(set) var isLost: Bool {
        get { lost.load(ordering: .relaxed) }
        set { lost.store(newValue, ordering: .relaxed) }
    }

    /// Runs a statement, outside a transaction in one of its own.
    @discardableResult
    func run(_ sql: String, _ parameters: [PostgreSQLParameter] = []) throws -> PostgreSQLResult {
        guard !isInTransaction.load(ordering: .relaxed) else {
            return try execute(sql, parameters)
        }
        try begin(modes: "")
        do {
            let result = try execute(sql, parameters)
            try end("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    private func execute(_ sql: String, _ parameters: [PostgreSQLParameter] = []) throws -> PostgreSQLResult {
        notices.warnings.store(0, ordering: .relaxed)
        var bytes: [UInt8] = []
        var slices: [(start: Int, length: Int)?] = []
        for parameter in parameters {
            slices.append(parameter.bytes.map { (bytes.count, $0.count) })
            bytes += parameter.bytes ?? []
        }
        // An empty value must not look like NULL.
        bytes.append(0)
        let types = parameters.map(\.type)
        let lengths = slices.map { Int32($0?.length ?? 0) }
        let formats = [Int32](repeating: Int32(CPQ_FORMAT_BINARY), count: parameters.count)
        let result = bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = slices.map { slice in slice.flatMap { slice in start.map { $0 + slice.start } } }
            return cpq_execParams(
                connection, sql, Int32(parameters.count), types, values, lengths, formats, Int32(CPQ_FORMAT_BINARY))
        }
        return try checked(result)
    }

    /// Runs several statements without parameters, as schemas have.
    func runScript(_ sql: String) throws {
        notices.warnings.store(0, ordering: .relaxed)
        _ = try checked(cpq_exec(connection, sql))
    }

    private func checked(_ result: OpaquePointer?) throws -> PostgreSQLResult {
        guard let result else {
            isLost = true
            throw PostgreSQLFault(sqlState: nil, message: String(cString: cpq_errorMessage(connection)))
        }
        let status = cpq_resultStatus(result)
        guard status == CPQ_COMMAND_OK || status == CPQ_TUPLES_OK else {
            defer { cpq_clear(result) }
            func field(_ code: Int) -> String? {
                cpq_resultErrorField(result, Int32(code)).map { String(cString: $0) }
            }
            isLost = isLost || cpq_status(connection) != CPQ_CONNECTION_OK
            let fault = PostgreSQLFault(
                sqlState: isLost ? nil : field(CPQ_DIAG_SQLSTATE),
                message: field(CPQ_DIAG_MESSAGE) ?? String(cString: cpq_errorMessage(connection)))
            isLost = isLost || fault.isConnectionLost
            throw fault
        }
        return PostgreSQLResult(result)
    }

    // MARK: Transactions

    /// Whatever the role's path is, nobody's functions and operators stand in for those of PostgreSQL; tables are named
    /// with their schema.
    private static let pinnedPath = "SET LOCAL search_path = pg_catalog, pg_temp"

    /// Begins a transaction that writes.
    ///
    /// READ COMMITTED whatever the server's default: a second statement has to see what won against the first.
    func begin() throws {
        try begin(modes: " ISOLATION LEVEL READ COMMITTED READ WRITE")
    }

    /// Begins a transaction that reads one snapshot.
    func beginSnapshot() throws {
        try begin(modes: " ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    private func begin(modes: String) throws {
        do {
            try runScript("BEGIN\(modes); \(Self.pinnedPath)")
        } catch {
            rollBack()
            throw error
        }
        isInTransaction.store(true, ordering: .relaxed)
    }

    @discardableResult
    private func end(_ command: String) throws -> PostgreSQLResult {
        // Whatever comes of it, the transaction is over.
        defer { isInTransaction.store(false, ordering: .relaxed) }
        return try execute(command)
    }

    /// Commits, and never gives up waiting for it.
    func commit() throws {
        do {
            // A transaction that failed is rolled back by its COMMIT, without an error.
            guard try end("COMMIT").command == "COMMIT" else {
                throw PostgreSQLFault(sqlState: "25P02", message: "the transaction had failed")
            }
        } catch let fault as PostgreSQLFault where fault.isConnectionLost {
            throw LostCommit()
        }
        // A commit has nothing else to warn of.
        guard notices.warnings.load(ordering: .relaxed) == 0 else {
            throw NotReplicated()
        }
    }

    /// Undoes a transaction, as far as there is still somebody to tell.
    func rollBack() {
        if !isLost {
            _ = try? end("ROLLBACK")
        }
    }

    /// Does work in one transaction.
    func transaction<Result>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try begin()
        let result: Result
        do {
            result = try work(self)
        } catch {
            rollBack()
            throw error
        }
        try commit()
        return result
    }
}

/// The connection broke during a commit: whether it happened is not known.
struct LostCommit: Error {}

/// The server committed, but gave up waiting for a standby.
struct NotReplicated: Error {}

/// Asks the server to end the statement that a connection runs.
final class StatementCanceler: Sendable {
    // PQcancel may be called from any thread.
    nonisolated(unsafe) private let cancel: OpaquePointer

    init(_ cancel: OpaquePointer) {
        self.cancel = cancel
    }

    deinit {
        cpq_freeCancel(cancel)
    }

    /// Ends the statement; without one it does nothing.
    func callAsFunction() {
        var problem = [CChar](repeating: 0, count: 256)
        _ = cpq_cancel(cancel, &problem, Int32(problem.count))
    }
}
