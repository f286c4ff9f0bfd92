import Attribution
import AttributionStore
import Foundation

/// The connection that a node records on, and what the node remembers between transactions; used by one thread at a time.
struct RecordingSession {
    private let address: PostgreSQLAddress
    private let settings: LedgerSettings
    private let presence: NodePresence
    private let status: StoreStatus
    private let closing: ClosingBound
    private let onEvent: @Sendable (StoreEvent) -> Void
    private var kept: PostgreSQLConnection?
    private var codes = ValueCodes()
    /// The networks whose postbacks are ours.
    private(set) var networks: OwnNetworks
    /// How full the quarantine is.
    var room: QuarantineRoom

    /// How long a commit whose answer was lost is looked for, until its batch is refused.
    private static let lookup = Duration.seconds(10)

    init(
        _ address: PostgreSQLAddress,
        _ settings: LedgerSettings,
        _ presence: NodePresence,
        _ status: StoreStatus,
        _ closing: ClosingBound,
        _ onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) {
        self.address = address
        self.settings = settings
        self.presence = presence
        self.status = status
        self.closing = closing
        self.onEvent = onEvent
        networks = settings.networks ?? OwnNetworks()
        room = QuarantineRoom(settings.budgets)
    }

    // MARK: Transactions

    /// Does the work of one transaction, a second time when codes that this node remembers are not the server's.
    mutating func batch<Result>(
        _ insertion: PostbackInsertion,
        _ work: (inout PostgreSQLBatch) throws -> Result
    ) throws -> (result: Result, notKept: [QuarantineClass: Int]) {
        do {
            return try attempt(insertion, work)
        } catch is StaleCodes {
            codes.removeAll()
            return try attempt(insertion, work)
        }
    }

    private mutating func attempt<Result>(
        _ insertion: PostbackInsertion,
        _ work: (inout PostgreSQLBatch) throws -> Result
    ) throws -> (result: Result, notKept: [QuarantineClass: Int]) {
        let connection = try begin(insertion)
        let id = BatchID()
        var batch = PostgreSQLBatch(connection, networks: networks, codes: codes, room: room)
        let result: Result
        do {
            batch.hasKnownIDs = try id.insert(connection)
            result = try work(&batch)
        } catch {
            connection.rollBack()
            throw error
        }
        do {
            try connection.commit()
            room = batch.quarantine.room
            codes = batch.codes
        } catch is LostCommit {
            // Looks at the quarantine anew, with what this transaction put into it.
            try find(id)
        }
        if let recordedAt = batch.recordedAt {
            status.didRecord(at: recordedAt)
        }
        return (result, batch.quarantine.notKept)
    }

    /// Begins a transaction, on another connection when the present one broke while it was idle.
    private mutating func begin(_ insertion: PostbackInsertion) throws -> PostgreSQLConnection {
        do {
            return try beginOnce(insertion)
        } catch let fault as PostgreSQLFault where fault.isConnectionLost {
            kept = nil
            return try beginOnce(insertion)
        }
    }

    private mutating func beginOnce(_ insertion: PostbackInsertion) throws -> PostgreSQLConnection {
        let connection = try connection()
        try codes.learn(insertion.copies.lazy.flatMap(\.values), connection)
        try connection.begin()
        return connection
    }

    /// Finds out whether a commit happened whose answer was lost.
    ///
    /// - Throws: ``AttributionStore/StoreError`` when it did not, or when that could not be found out.
    private mutating func find(_ id: BatchID) throws {
        let end = ContinuousClock.now + Self.lookup
        while true {
            kept = nil
            do {
                guard try id.isCommitted(try connection()) else {
                    throw StoreError.failed(path: address.description, .connectionLost)
                }
                return
            } catch is PostgreSQLFault where ContinuousClock.now < end && !closing.isOver {
                Thread.sleep(forTimeInterval: 0.1)
            } catch is NoConnection where ContinuousClock.now < end && !closing.isOver {
                Thread.sleep(forTimeInterval: 0.1)
            } catch is LostCommit where ContinuousClock.now < end && !closing.isOver {
                Thread.sleep(forTimeInterval: 0.1)
            } catch let error as StoreError {
                throw error
            } catch {
                throw StoreError.failed(path: address.description, .commitUnknown)
            }
        }
    }

    // MARK: Connections

    /// The connection, made when there is none.
    mutating func connection() throws -> PostgreSQLConnection {
        if let kept, !kept.isLost {
            return kept
        }
        kept = nil
        // Another server may answer now.
        codes.removeAll()
        let connection = try PostgreSQLConnection(address)
        closing.watch(connection, of: .recording)
        _ = try SchemaMigrator(connection, address).migrate()
        try status.look(connection, address.description, onEvent)
        try settings.networks.map { try Self.remember($0, connection) }
        if settings.networks == nil {
            networks = OwnNetworks(try Self.rememberedNetworks(connection))
        }
        room = try QuarantineRoom(settings.budgets, connection, writers: try presence.renew(connection))
        kept = connection
        return connection
    }

    /// Drops a connection that broke.
    mutating func dropLostConnection() {
        if kept?.isLost ?? true {
            kept = nil
        }
    }

    /// Closes the connection.
    mutating func close() {
        kept = nil
    }

    private static func rememberedNetworks(_ connection: PostgreSQLConnection) throws -> [String] {
        let result = try connection.run("SELECT ad_network_id FROM skan.own_network ORDER BY ad_network_id")
        return try (0..<result.count).map { try result.text($0, 0) }
    }

    private static func remember(_ networks: OwnNetworks, _ connection: PostgreSQLConnection) throws {
        guard Set(try rememberedNetworks(connection)) != networks.identifiers else {
            return
        }
        try connection.transaction { connection in
            try connection.run("DELETE FROM skan.own_network")
            _ = try connection.run(
                "INSERT INTO skan.own_network SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
                [.texts(networks.identifiers.sorted())])
        }
    }
}
