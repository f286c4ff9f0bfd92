package import Attribution
package import AttributionStore
import Foundation
import Synchronization

/// One of any number of nodes that record into a store of postbacks in PostgreSQL.
///
/// Uniqueness is decided by the primary key of `skan.postback_key`. A node holds nothing that another would miss: it may
/// end at any moment. While no primary can be reached nothing is recorded, and whoever sent it has to come back.
package final class PostgreSQLLedgerWriter: LedgerWriting {
    let address: PostgreSQLAddress
    let settings: LedgerSettings
    let onEvent: @Sendable (StoreEvent) -> Void
    private let state: Mutex<State>
    private let status: StoreStatus
    private let upkeep: StoreUpkeep
    private let closing = ClosingBound()

    private struct State {
        var session: RecordingSession
        var isClosed = false
    }

    /// Names a store to record into; its tables are made when they are missing and the role may make them.
    ///
    /// When no server can be reached now, a later call reaches it; see ``health``.
    ///
    /// - Parameters:
    ///   - address: The store.
    ///   - settings: What is counted how, and what is kept.
    ///   - requiresSynchronous: Whether nothing is recorded that the loss of one server would lose.
    ///   - onEvent: Told what an operator should hear of, on any thread.
    /// - Throws: ``AttributionStore/StoreError`` for what time does not cure.
    package init(
        _ address: PostgreSQLAddress,
        settings: LedgerSettings = LedgerSettings(),
        requiresSynchronous: Bool = false,
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws {
        self.address = address
        self.settings = settings
        self.onEvent = onEvent
        status = StoreStatus(requiresSynchronous: requiresSynchronous)
        let presence = NodePresence()
        upkeep = StoreUpkeep(address, settings, presence, status, closing, onEvent)
        state = Mutex(State(session: RecordingSession(address, settings, presence, status, closing, onEvent)))
        do {
            try withSession { _ in }
        } catch StoreError.failed(_, let fault) where fault.mayPass {
            status.didFail(fault.words, hint: fault.hint)
        }
    }

    /// The address, without secrets.
    package var name: String {
        address.description
    }

    /// Whether the last commit succeeded, and whether what was found of the server since then lets another one.
    package var health: StoreHealth {
        status.health
    }

    /// When a postback was last recorded by any node, in Unix milliseconds, as far as this one has heard.
    package var lastRecordedAtMilliseconds: Int64? {
        status.lastRecordedAt
    }

    /// Looks at the server, on a connection of its own, and keeps the tables in order; to be called each second.
    package func heartbeat() {
        let before = state.withLock { $0.session.room }
        guard var room = upkeep.beat() else {
            return
        }
        state.withLock { state in
            room.add(claimedIn: state.session.room, since: before)
            state.session.room = room
        }
    }

    // MARK: Recording

    /// Records a batch in one transaction; see ``AttributionStore/LedgerWriting/record(_:)``.
    package func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        guard !deliveries.isEmpty else {
            return []
        }
        return try record(deliveries.map { PostgreSQLBatch.Item(delivery: $0) }).recordings
    }

    private func record(
        _ items: [PostgreSQLBatch.Item]
    ) throws -> (recordings: [Recording?], requeued: Requeued) {
        let (result, notKept) = try withSession { session in
            let insertion = PostgreSQLBatch.insertion(items, session.networks)
            return try session.batch(insertion) { batch in
                let recordings = try batch.record(items, insertion)
                return (recordings, batch.requeued)
            }
        }
        for (kind, count) in notKept {
            onEvent(.notKept(kind, count: count))
        }
        return (result.0, result.1)
    }

    // MARK: Connections

    /// Does work with the connection, which nobody else uses meanwhile, and notes how it went.
    func withRecordingConnection<Result: Sendable>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try withSession { session in try work(try session.connection()) }
    }

    /// Does work with the session, which nobody else uses meanwhile, and notes how it went.
    func withSession<Result: Sendable>(_ work: (inout RecordingSession) throws -> Result) throws -> Result {
        do {
            let result = try withUnwatchedSession(work)
            status.didCommit()
            return result
        } catch let error as StoreError {
            status.didFail(error.message, hint: error.hint)
            throw error
        }
    }

    /// Does work with the session, which nobody else uses meanwhile; how it went says nothing about recording.
    func withUnwatchedSession<Result: Sendable>(
        _ work: (inout RecordingSession) throws -> Result
    ) throws -> Result {
        try state.withLock { state in
            guard !state.isClosed, !closing.isOver else {
                throw StoreError.failed(path: name, .connectionLost)
            }
            do {
                _ = try state.session.connection()
                return try StoreError.translating(address) { try work(&state.session) }
            } catch {
                state.session.dropLostConnection()
                throw StoreError.translated(error, address)
            }
        }
    }

    // MARK: Closing

    /// Fails what waits for a server or its standbys two seconds from now.
    package func prepareToClose() {
        closing.begin()
    }

    /// Closes the connections, when what runs has ended; every method fails afterwards.
    @discardableResult
    package func close() throws -> StoreEnding {
        state.withLock { state in
            state.isClosed = true
            state.session.close()
        }
        upkeep.close()
        closing.end()
        return .whole
    }

    /// A reader of the same store.
    package func makeReader() throws -> any LedgerReading {
        PostgreSQLLedgerReader(address)
    }
}
