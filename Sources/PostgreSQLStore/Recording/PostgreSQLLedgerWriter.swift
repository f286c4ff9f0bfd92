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

    /// How long a commit whose answer was lost is looked for, until its batch is refused.
    private static let lookup = Duration.seconds(10)
    /// Deliveries of the quarantine judged in one transaction.
    private static let atOnce = 256

    private struct State {
        var connection: PostgreSQLConnection?
        var codes = ValueCodes()
        var networks: OwnNetworks
        var room: QuarantineRoom
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
        upkeep = StoreUpkeep(address, settings, status, onEvent)
        state = Mutex(
            State(networks: settings.networks ?? OwnNetworks(), room: QuarantineRoom(settings.budgets)))
        do {
            try withConnection { _ in }
        } catch StoreError.failed(_, let fault) where fault.mayPass {
            status.didFail(fault.words)
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
        guard let room = upkeep.beat() else {
            return
        }
        state.withLock { $0.room = room }
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
        let (result, notKept) = try withConnection { state in
            let insertion = PostgreSQLBatch.insertion(items, state.networks)
            return try batch(&state, insertion) { batch in
                let recordings = try batch.record(items, insertion)
                return (recordings, batch.requeued)
            }
        }
        for (kind, count) in notKept {
            onEvent(.notKept(kind, count: count))
        }
        return (result.0, result.1)
    }

    /// Does the work of one transaction, a second time when codes that this node remembers are not the server's.
    private func batch<Result>(
        _ state: inout State,
        _ insertion: PostbackInsertion,
        _ work: (inout PostgreSQLBatch) throws -> Result
    ) throws -> (result: Result, notKept: [QuarantineClass: Int]) {
        do {
            return try attempt(&state, insertion, work)
        } catch is StaleCodes {
            state.codes.removeAll()
            return try attempt(&state, insertion, work)
        }
    }

    private func attempt<Result>(
        _ state: inout State,
        _ insertion: PostbackInsertion,
        _ work: (inout PostgreSQLBatch) throws -> Result
    ) throws -> (result: Result, notKept: [QuarantineClass: Int]) {
        let connection = try begin(&state, insertion)
        let id = BatchID()
        var batch = PostgreSQLBatch(
            connection, networks: state.networks, codes: state.codes, room: state.room)
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
        } catch is LostCommit {
            try find(id, &state)
        }
        state.room = batch.quarantine.room
        state.codes = batch.codes
        if let recordedAt = batch.recordedAt {
            status.didRecord(at: recordedAt)
        }
        return (result, batch.quarantine.notKept)
    }

    /// Begins a transaction, on another connection when the present one broke while it was idle.
    private func begin(_ state: inout State, _ insertion: PostbackInsertion) throws -> PostgreSQLConnection {
        func begin() throws -> PostgreSQLConnection {
            let connection = try connection(&state)
            try state.codes.learn(insertion.copies.lazy.flatMap(\.values), connection)
            try connection.begin()
            return connection
        }
        do {
            return try begin()
        } catch let fault as PostgreSQLFault where fault.isConnectionLost {
            state.connection = nil
            return try begin()
        }
    }

    /// Finds out whether a commit happened whose answer was lost.
    ///
    /// - Throws: ``AttributionStore/StoreError`` when it did not, or when that could not be found out.
    private func find(_ id: BatchID, _ state: inout State) throws {
        let end = ContinuousClock.now + Self.lookup
        while true {
            state.connection = nil
            do {
                guard try id.isCommitted(try connection(&state)) else {
                    throw StoreError.failed(path: name, .connectionLost)
                }
                return
            } catch is PostgreSQLFault where ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.1)
            } catch is NoConnection where ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.1)
            } catch is LostCommit where ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.1)
            } catch let error as StoreError {
                throw error
            } catch {
                throw StoreError.failed(path: name, .commitUnknown)
            }
        }
    }

    // MARK: The quarantine

    /// Judges deliveries again; see ``AttributionStore/LedgerWriting/requeue(_:judge:)``.
    ///
    /// Each is locked by the node that judges it, and others pass it by.
    package func requeue(_ query: QuarantineQuery, judge: ([[UInt8]]) -> [Judgement]) throws -> Requeued {
        var result = Requeued()
        var page = query
        while result.judged < Int64(query.limit) {
            page.limit = min(Self.atOnce, query.limit - Int(result.judged))
            guard let (requeued, last) = try requeuePage(page, judge) else {
                break
            }
            result.add(requeued)
            page.after = last
        }
        return result
    }

    private func requeuePage(
        _ page: QuarantineQuery,
        _ judge: ([[UInt8]]) -> [Judgement]
    ) throws -> (Requeued, last: Int64)? {
        try withConnection { state -> (Requeued, last: Int64)? in
            let networks = state.networks
            return try batch(&state, PostbackInsertion(copies: [])) { batch -> (Requeued, last: Int64)? in
                let found = try page.deliveries(batch.connection, isLocking: true)
                guard let last = found.last?.id else {
                    return nil
                }
                let deliveries = found.filter { $0.kind != .conflict }
                let items = zip(deliveries, judge(deliveries.map(\.body))).map { PostgreSQLBatch.Item($0, $1) }
                _ = try batch.record(items, PostgreSQLBatch.insertion(items, networks), isLearning: true)
                return (batch.requeued, last)
            }.result
        }
    }

    /// Deletes deliveries; see ``AttributionStore/LedgerWriting/prune(_:)``.
    package func prune(_ query: QuarantineQuery) throws -> Int64 {
        var deleted: Int64 = 0
        var page = query
        while deleted < Int64(query.limit) {
            page.limit = min(Self.atOnce, query.limit - Int(deleted))
            let count = try withConnection { state in
                try connection(&state).transaction { connection in
                    try BatchID().insert(connection)
                    let found = try page.deliveries(connection, isLocking: true)
                    var sums = DeliverySums()
                    for delivery in found {
                        sums.change(delivery.kind, rows: -1, bytes: -Int64(delivery.body.count))
                    }
                    try connection.run(
                        "DELETE FROM skan.quarantine WHERE id = ANY ($1::int8[])", [.integers(found.map(\.id))])
                    try sums.write(connection)
                    return Int64(found.count)
                }
            }
            guard count > 0 else {
                break
            }
            deleted += count
        }
        return deleted
    }

    // MARK: Connections

    /// Does work with the connection, which nobody else uses meanwhile, and notes how it went.
    func withRecordingConnection<Result: Sendable>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try withConnection { state in try work(try connection(&state)) }
    }

    private func withConnection<Result: Sendable>(_ work: (inout State) throws -> Result) throws -> Result {
        do {
            let result = try state.withLock { state in
                guard !state.isClosed else {
                    throw StoreError.failed(path: name, .connectionLost)
                }
                do {
                    _ = try connection(&state)
                    return try StoreError.translating(address) { try work(&state) }
                } catch {
                    if state.connection?.isLost ?? true {
                        state.connection = nil
                    }
                    throw StoreError.translated(error, address)
                }
            }
            status.didCommit()
            return result
        } catch let error as StoreError {
            status.didFail(error.description)
            throw error
        }
    }

    /// The connection, made when there is none.
    private func connection(_ state: inout State) throws -> PostgreSQLConnection {
        if let connection = state.connection, !connection.isLost {
            return connection
        }
        state.connection = nil
        // Another server may answer now.
        state.codes.removeAll()
        let connection = try PostgreSQLConnection(address)
        _ = try SchemaMigrator(connection, address).migrate()
        try status.look(connection, name, onEvent)
        try settings.networks.map { try Self.remember($0, connection) }
        if settings.networks == nil {
            state.networks = OwnNetworks(try Self.rememberedNetworks(connection))
        }
        state.room = try QuarantineRoom(settings.budgets, connection)
        state.connection = connection
        return connection
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
            try connection.run(
                "INSERT INTO skan.own_network SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
                [.texts(networks.identifiers.sorted())])
        }
    }

    // MARK: Closing

    /// Nothing: no other program's lock is waited for.
    package func prepareToClose() {}

    /// Closes the connections; every method fails afterwards.
    @discardableResult
    package func close() throws -> StoreEnding {
        state.withLock { state in
            state.isClosed = true
            state.connection = nil
        }
        upkeep.close()
        return .whole
    }

    /// A reader of the same store.
    package func makeReader() throws -> any LedgerReading {
        PostgreSQLLedgerReader(address)
    }
}

extension PostgreSQLBatch.Item {
    /// A delivery of the quarantine, judged again.
    fileprivate init(_ origin: QuarantinedDelivery, _ judgement: Judgement) {
        self.init(
            delivery: Delivery(
                judgement: judgement, recipient: origin.recipient,
                receivedAtMilliseconds: origin.receivedAtMilliseconds,
                client: origin.client.isEmpty ? nil : origin.client),
            origin: origin)
    }
}

extension Requeued {
    fileprivate mutating func add(_ other: Self) {
        judged += other.judged
        recorded += other.recorded
        duplicate += other.duplicate
        conflict += other.conflict
        stayed += other.stayed
    }
}
