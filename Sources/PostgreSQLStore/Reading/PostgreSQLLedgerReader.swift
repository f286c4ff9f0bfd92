import Attribution
import AttributionStore
import Dispatch
import Foundation
import Synchronization

/// Reads a store of postbacks in PostgreSQL; each answer is of one snapshot.
package final class PostgreSQLLedgerReader: LedgerReading {
    let address: PostgreSQLAddress
    private let patience: Duration
    private let slots = (0..<mostConnections).map { _ in Slot() }
    /// Counts the free slots.
    private let free = DispatchSemaphore(value: mostConnections)
    private let queue = DispatchQueue(label: "skan-postgresql-reader", attributes: .concurrent)

    /// Reports at the same time; more wait.
    private static let mostConnections = 4

    /// A connection, or none.
    private final class Slot: Sendable {
        let connection = Mutex<PostgreSQLConnection?>(nil)
    }

    /// Names a store to read; it is reached by the first question.
    ///
    /// - Parameters:
    ///   - address: The store.
    ///   - patience: How long a question waits for transactions that began before what it sees was committed, in any
    ///     database of the server.
    package init(_ address: PostgreSQLAddress, patience: Duration = .seconds(2)) {
        self.address = address
        self.patience = patience
    }

    /// Closes the connections that nobody uses; a later question opens new ones.
    package func close() {
        for slot in slots {
            // Ends outside the lock, for which questions look in turns.
            _ = slot.connection.withLockIfAvailable { $0.take() }
        }
    }

    // MARK: Snapshots

    /// Reads in one snapshot, on a thread that may block.
    ///
    /// - Parameters:
    ///   - isSettled: Whether to wait, for a moment, until everything in the snapshot lies below the horizon.
    ///   - inBackground: Whether in turns on a thread of its own.
    ///   - work: Reads.
    /// - Returns: What the work returns.
    /// - Throws: ``AttributionStore/StoreError``, and what the work throws.
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

    private func read<Result: Sendable>(
        _ cancellation: Cancellation,
        isSettled: Bool,
        _ work: (LedgerSnapshot) throws -> Result
    ) throws -> Result {
        free.wait()
        defer { free.signal() }
        while true {
            for slot in slots {
                let result = try slot.connection.withLockIfAvailable { connection in
                    try StoreError.translating(address) {
                        try read(&connection, cancellation, isSettled: isSettled, work)
                    }
                }
                if let result {
                    return result
                }
            }
        }
    }

    private func read<Result>(
        _ slot: inout PostgreSQLConnection?,
        _ cancellation: Cancellation,
        isSettled: Bool,
        _ work: (LedgerSnapshot) throws -> Result
    ) throws -> Result {
        let (connection, isFresh) = try connection(&slot)
        defer {
            cancellation.end()
            if connection.isLost {
                slot = nil
            }
        }
        try cancellation.begin(connection.canceler)
        do {
            return try read(connection, cancellation, isSettled: isSettled, work)
        } catch let fault as PostgreSQLFault where fault.isConnectionLost && !isFresh {
            // It may have been idle while the server was restarted.
            slot = nil
            return try read(&slot, cancellation, isSettled: isSettled, work)
        } catch let fault as PostgreSQLFault where fault.sqlState == PostgreSQLFault.canceled {
            try cancellation.check()
            throw fault
        }
    }

    private func connection(
        _ slot: inout PostgreSQLConnection?
    ) throws -> (connection: PostgreSQLConnection, isFresh: Bool) {
        if let connection = slot, !connection.isLost {
            return (connection, false)
        }
        let connection = try PostgreSQLConnection(address)
        guard let found = try SchemaMigrator(connection, address).found() else {
            throw StoreError.emptyDatabase(path: address.description)
        }
        guard found >= PostgreSQLSchema.version else {
            throw StoreError.notMigrated(path: address.description, found: found, needed: PostgreSQLSchema.version)
        }
        slot = connection
        return (connection, true)
    }

    private func read<Result>(
        _ connection: PostgreSQLConnection,
        _ cancellation: Cancellation,
        isSettled: Bool,
        _ work: (LedgerSnapshot) throws -> Result
    ) throws -> Result {
        let end = ContinuousClock.now + patience
        var target: Int64?
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
