package import Attribution
package import AttributionStore
import Foundation
import Synchronization

/// One of any number of nodes that record into a store of postbacks in PostgreSQL.
///
/// Uniqueness is decided by the primary key of `skan.postback_key`. A node holds nothing that another would miss: it may
/// end at any moment. While no primary can be reached nothing is recorded, and whoever sent it has to come back.
package final class PostgreSQLLedgerWriter: LedgerWriting {
    let node: StoreNode
    var address: PostgreSQLAddress { node.address }
    /// What this node is called as the one that delivers to a destination.
    let forwardingNode = UUID().uuidString
    private let state: Mutex<State>
    private let upkeep: StoreUpkeep

    private struct State {
        var session: RecordingSession
        var isClosed = false
    }

    /// Names a store to record into; its tables are made when they are missing and the role may make them.
    ///
    /// When no server can be reached now, a later call reaches it; see ``health``.
    package init(
        _ address: PostgreSQLAddress,
        settings: LedgerSettings = LedgerSettings(),
        requiresSynchronous: Bool = false,
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws {
        node = StoreNode(
            address: address, settings: settings, status: StoreStatus(requiresSynchronous: requiresSynchronous),
            onEvent: onEvent)
        upkeep = StoreUpkeep(node)
        state = Mutex(State(session: RecordingSession(node)))
        do {
            try withSession { _ in }
        } catch StoreError.failed(_, let fault) where fault.mayPass {
            node.status.didFail(fault.words, hint: fault.hint)
        }
    }

    /// The address, without secrets.
    package var name: String {
        node.address.description
    }

    /// Whether the last commit succeeded, whether none hangs, and whether what was found of the server since then lets
    /// another one.
    package var health: StoreHealth {
        node.status.health
    }

    /// When a postback was last recorded by any node, in Unix milliseconds, as far as this one has heard.
    package var lastRecordedAtMilliseconds: Int64? {
        node.status.lastRecordedAt
    }

    /// Looks at the server, on a connection of its own, and keeps the tables in order; to be called each second.
    package func heartbeat() {
        if let room = upkeep.beat() {
            state.withLock { $0.session.room = room }
        }
    }

    // MARK: Recording

    /// Records a batch in one transaction; see ``AttributionStore/LedgerWriting/record(_:)``.
    package func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        guard !deliveries.isEmpty else {
            return []
        }
        let items = deliveries.map { PostgreSQLBatch.Item($0) }
        let (recordings, notKept) = try withSession { session in
            let insertion = PostgreSQLBatch.insertion(items, session.networks)
            return try session.batch(insertion) { try $0.record(items, insertion) }
        }
        for (kind, count) in notKept {
            node.onEvent(.notKept(kind, count: count))
        }
        return recordings
    }

    /// Keeps keys that were added to Apple's; see ``AttributionStore/LedgerWriting/keep(_:)``.
    package func keep(_ keys: [AppleKeyRecord]) throws {
        guard !keys.isEmpty else {
            return
        }
        // A failure here says nothing about whether postbacks can be recorded.
        try withUnwatchedSession { session in
            try session.connection().transaction { connection in
                for key in keys {
                    try connection.run(
                        "DELETE FROM skan.apple_key WHERE public_key = $1 AND framework = $2 AND signer = $3",
                        [.bytes(key.publicKey), .text(key.signer.framework.rawValue), .text(key.signer.name)])
                }
                try CopiedTable.appleKeys.insert(keys.map(\.row), connection)
            }
        }
    }

    // MARK: Connections

    /// Does work with the connection, which nobody else uses meanwhile, and notes how it went.
    func withRecordingConnection<Result: Sendable>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try withSession { session in try work(try session.connection()) }
    }

    /// Does work in one transaction, which nobody else uses the connection for, and notes how it went.
    func transaction<Result: Sendable>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try withRecordingConnection { try $0.recordingTransaction(work) }
    }

    /// Does work with the session, which nobody else uses meanwhile, and notes how it went.
    func withSession<Result: Sendable>(_ work: (inout RecordingSession) throws -> Result) throws -> Result {
        do {
            let result = try node.status.recording.during { try withUnwatchedSession(work) }
            node.status.didCommit()
            return result
        } catch let error as StoreError {
            node.status.didFail(error.message, hint: error.hint)
            throw error
        }
    }

    /// Does work with the session, which nobody else uses meanwhile; how it went says nothing about recording.
    func withUnwatchedSession<Result: Sendable>(
        _ work: (inout RecordingSession) throws -> Result
    ) throws -> Result {
        try state.withLock { state in
            guard !state.isClosed, !node.closing.isOver else {
                throw StoreError.failed(path: name, .connectionLost)
            }
            do {
                _ = try state.session.connection()
                return try StoreError.translating(node.address) { try work(&state.session) }
            } catch {
                state.session.dropLostConnection()
                throw StoreError.translated(error, node.address)
            }
        }
    }

    // MARK: Closing

    /// Fails what waits for a server or its standbys two seconds from now.
    package func prepareToClose() {
        node.closing.begin()
    }

    /// Closes the connections, when what runs has ended; every method fails afterwards.
    @discardableResult
    package func close() throws -> StoreEnding {
        state.withLock { state in
            state.isClosed = true
            state.session.close()
        }
        upkeep.close()
        node.closing.end()
        return .whole
    }

    /// A reader of the same store.
    package func makeReader() throws -> any LedgerReading {
        PostgreSQLLedgerReader(node.address)
    }
}
