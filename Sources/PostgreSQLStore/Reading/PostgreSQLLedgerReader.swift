import Attribution
package import AttributionStore
import Dispatch
import Foundation
import Synchronization

/// Reads a store of postbacks in PostgreSQL; each answer is of one snapshot.
package final class PostgreSQLLedgerReader: LedgerReading {
    let address: PostgreSQLAddress
    private let patience: Duration
    /// Connections that nobody uses now.
    private let idle = Mutex<[PostgreSQLConnection]>([])
    private let free = DispatchSemaphore(value: mostConnections)
    private let queue = DispatchQueue(label: "skan-postgresql-reader", attributes: .concurrent)

    /// Reports at the same time; more wait.
    private static let mostConnections = 4

    /// Names a store to read; it is reached by the first question.
    package init(_ address: PostgreSQLAddress, patience: Duration = .seconds(2)) {
        self.address = address
        self.patience = patience
    }

    /// Closes the connections that nobody uses; a later question opens new ones.
    package func close() {
        // They end outside the lock.
        _ = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
    }

    /// Answers a question in one snapshot, with one pass over the columns; see
    /// ``AttributionStore/LedgerReading/answer(_:)``.
    package func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        try await read(question.limits, isSettled: question.asOf == nil) { snapshot, check in
            let newest = try snapshot.ordered(question.asOf)
            let source = try PostgreSQLColumnSource(snapshot.connection, question, through: newest.point)
            let counted = try ColumnCount(source, question, check).counted()
            return LedgerAnswer(
                rows: counted.rows, totals: counted.totals,
                deliveries: try DeliveryCounts(snapshot.connection, received: question.received),
                position: newest.position, recordedAtMilliseconds: newest.recordedAt, unseen: counted.unseen,
                damaged: counted.damaged, unreadableCount: counted.unreadableCount,
                countsEveryNetwork: try snapshot.connection.run("SELECT NOT EXISTS (SELECT FROM skan.own_network)")
                    .bool(0, 0))
        }
    }

    // MARK: Snapshots

    /// Reads in one snapshot, within limits; cancelling the task ends the work.
    func read<Result: Sendable>(
        _ limits: LedgerLimits,
        isSettled: Bool = false,
        _ work: @escaping @Sendable (LedgerSnapshot, AnswerCheck) throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        return try await read(isSettled: isSettled, inBackground: limits.isBackground) { snapshot in
            let check = AnswerCheck(limits, since: start, snapshot.checkCancellation)
            do {
                try snapshot.limitTime(try check.remaining())
                return try work(snapshot, check)
            } catch let fault as PostgreSQLFault where fault.sqlState == PostgreSQLFault.canceled {
                _ = try check.remaining()
                throw fault
            }
        }
    }

    /// Reads in one snapshot, on a thread that may block.
    func read<Result: Sendable>(
        isSettled: Bool = false,
        inBackground: Bool = false,
        _ work: @escaping @Sendable (LedgerSnapshot) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            if inBackground {
                return try await BackgroundWork.run { [self] in
                    try read(cancellation, isSettled: isSettled, work)
                }
            }
            return try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(
                        with: Swift.Result { try read(cancellation, isSettled: isSettled, work) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func read<Result>(
        _ cancellation: Cancellation, isSettled: Bool, _ work: (LedgerSnapshot) throws -> Result
    ) throws -> Result {
        free.wait()
        defer { free.signal() }
        return try StoreError.translating(address) {
            if let connection = idle.withLock({ $0.popLast() }) {
                do {
                    return try read(connection, cancellation, isSettled: isSettled, work)
                } catch let fault as PostgreSQLFault where fault.isConnectionLost {
                    // It may have been idle while the server was restarted.
                }
            }
            return try read(connect(), cancellation, isSettled: isSettled, work)
        }
    }

    private func connect() throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(address)
        guard let found = try SchemaMigrator(connection, address).found() else {
            throw StoreError.emptyDatabase(path: address.description)
        }
        guard found >= PostgreSQLSchema.version else {
            throw StoreError.notMigrated(path: address.description, found: found, needed: PostgreSQLSchema.version)
        }
        return connection
    }

    private func read<Result>(
        _ connection: PostgreSQLConnection,
        _ cancellation: Cancellation,
        isSettled: Bool,
        _ work: (LedgerSnapshot) throws -> Result
    ) throws -> Result {
        try cancellation.begin(connection.canceler)
        defer {
            cancellation.end()
            if !connection.isLost {
                idle.withLock { $0.append(connection) }
            }
        }
        let end = ContinuousClock.now + patience
        var target: Int64?
        do {
            while true {
                try connection.beginSnapshot()
                defer { connection.rollBack() }
                let snapshot = try LedgerSnapshot(connection, cancellation.check)
                // What others committed after the first look need not be waited for.
                target = target ?? snapshot.newestOrder
                guard isSettled, let target, target >= snapshot.horizon, ContinuousClock.now < end else {
                    return try work(snapshot)
                }
                Thread.sleep(forTimeInterval: 0.005)
            }
        } catch let fault as PostgreSQLFault where fault.sqlState == PostgreSQLFault.canceled {
            try cancellation.check()
            throw fault
        }
    }
}

/// Whether a reader's task was cancelled, and the statement to end then.
private final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var canceler: StatementCanceler?
    }

    private let state = Mutex(State())

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // Within the lock, so that no later statement of another question is ended.
            state.canceler?()
        }
    }

    func begin(_ canceler: StatementCanceler) throws {
        try state.withLock { state in
            guard !state.isCancelled else {
                throw CancellationError()
            }
            state.canceler = canceler
        }
    }

    func end() {
        state.withLock { $0.canceler = nil }
    }

    func check() throws {
        if state.withLock(\.isCancelled) {
            throw CancellationError()
        }
    }
}
