import Attribution
import AttributionStore

/// What the parts of a node have in common.
struct StoreNode: Sendable {
    let address: PostgreSQLAddress
    let settings: LedgerSettings
    let status: StoreStatus
    let closing = ClosingBound()
    let onEvent: @Sendable (StoreEvent) -> Void
}

/// The connection that a node records on, and what the node remembers between transactions; used by one thread at a time.
struct RecordingSession {
    private let node: StoreNode
    private var kept: PostgreSQLConnection?
    private var codes = ValueCodes()
    /// The networks whose postbacks are ours.
    private(set) var networks: OwnNetworks
    /// How full the quarantine is.
    var room: QuarantineRoom

    init(_ node: StoreNode) {
        self.node = node
        networks = node.settings.networks ?? OwnNetworks()
        room = QuarantineRoom(node.settings.budgets)
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
            // The new connection looks at the quarantine anew, with what this transaction put into it.
            try id.findCommit(node.address, node.closing) {
                kept = nil
                return try self.connection()
            }
        }
        if let recordedAt = batch.recordedAt {
            node.status.didRecord(at: recordedAt)
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

    // MARK: Connections

    /// The connection, made when there is none.
    mutating func connection() throws -> PostgreSQLConnection {
        if let kept, !kept.isLost {
            return kept
        }
        kept = nil
        // Another server may answer now.
        codes.removeAll()
        let connection = try PostgreSQLConnection(node.address)
        node.closing.watch(connection, of: .recording)
        let migrator = SchemaMigrator(connection, node.address)
        guard try node.settings.makesStore || migrator.found() != nil else {
            throw StoreError.emptyDatabase(path: node.address.description)
        }
        _ = try migrator.migrate()
        try node.status.look(connection, node.address.description, node.onEvent)
        let remembered = try Self.rememberedNetworks(connection)
        if let own = node.settings.networks {
            try Self.remember(own, insteadOf: remembered, connection)
        } else {
            networks = OwnNetworks(remembered)
        }
        room = try QuarantineRoom(node.settings.budgets, connection)
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

    private static func remember(
        _ networks: OwnNetworks, insteadOf remembered: [String], _ connection: PostgreSQLConnection
    ) throws {
        guard Set(remembered) != networks.identifiers else {
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
