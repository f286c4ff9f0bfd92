import Attribution
import AttributionStore
import Synchronization

/// Keeps the tables of a store in order beside recording, on a connection of its own.
///
/// Every node tries; an advisory lock lets one of them do it at a time.
final class StoreUpkeep: Sendable {
    private struct State {
        var connection: PostgreSQLConnection?
        var beats = 0
        var isClosed = false
        var failure: String?
        /// Why blocks were not written last time.
        var blockFailure: String?
    }

    private let node: StoreNode
    private let state = Mutex(State())

    /// Held while tables are kept in order, over the whole database.
    private static let lock: Int64 = 0x736b_616e_0002
    /// Beats between two rounds, and between two looks at how full the quarantine is.
    private static let roundBeats = 30
    private static let roomBeats = 5
    /// How long blocks are written in one beat.
    private static let blockTime = Duration.milliseconds(500)

    init(_ node: StoreNode) {
        self.node = node
    }

    /// Looks at the server, and after some beats puts the tables in order.
    func beat() -> QuarantineRoom? {
        state.withLock { state in
            guard !state.isClosed, !node.closing.isOver else {
                return nil
            }
            defer { state.beats += 1 }
            do {
                return try StoreError.translating(node.address) { try beat(&state) }
            } catch {
                state.connection = nil
                report(error, unless: &state.failure)
                return nil
            }
        }
    }

    private func beat(_ state: inout State) throws -> QuarantineRoom? {
        let connection = try probe(&state)
        if state.beats.isMultiple(of: Self.roundBeats) {
            try round(connection)
        }
        try writeBlocks(connection, &state)
        state.failure = nil
        guard state.beats.isMultiple(of: Self.roomBeats) else {
            return nil
        }
        return try QuarantineRoom(node.settings.budgets, connection)
    }

    /// Looks whether the server records: each second after a failure, and now and then in case nobody else tries.
    ///
    /// Nothing else that upkeep does says whether postbacks can be recorded.
    private func probe(_ state: inout State) throws -> PostgreSQLConnection {
        do {
            return try node.status.probing.during {
                try StoreError.translating(node.address) {
                    let connection = try connection(&state)
                    try node.status.look(connection, node.address.description, node.onEvent)
                    if node.status.hasFailed || state.beats.isMultiple(of: Self.roundBeats) {
                        // What failed may have been a commit: only another one says that it is over.
                        try connection.recordingTransaction { try $0.rehearse() }
                        node.status.didCommit()
                    }
                    return connection
                }
            }
        } catch {
            node.status.didFail("\(error)")
            throw error
        }
    }

    private func connection(_ state: inout State) throws -> PostgreSQLConnection {
        if let connection = state.connection, !connection.isLost {
            return connection
        }
        state.connection = nil
        let connection = try PostgreSQLConnection(node.address)
        node.closing.watch(connection, of: .upkeep)
        state.connection = connection
        return connection
    }

    /// Puts the tables in order, unless another node does.
    func round(_ connection: PostgreSQLConnection) throws {
        try connection.transaction { connection in
            guard try connection.run("SELECT pg_try_advisory_xact_lock($1)", [.integer(Self.lock)]).bool(0, 0) else {
                return
            }
            try connection.run("DELETE FROM skan.batch WHERE begun_at < now() - interval '1 day'")
            try compact(connection)
            try trim(connection)
        }
        // By itself, for it gives up where bodies are being read; three months ahead leave time.
        try connection.transaction { connection in
            if try connection.run("SELECT pg_try_advisory_xact_lock($1)", [.integer(Self.lock)]).bool(0, 0) {
                try connection.run(PostgreSQLSchema.makePartitions)
            }
        }
    }

    // MARK: Blocks

    /// Writes blocks of columns; without them reports are slower, but nothing else is.
    private func writeBlocks(_ connection: PostgreSQLConnection, _ state: inout State) throws {
        let end = ContinuousClock.now + Self.blockTime
        let writer = BlockWriter(connection: connection)
        do {
            guard try state.beats.isMultiple(of: Self.roundBeats) || writer.isDue() else {
                return
            }
            var isMore = true
            while isMore, ContinuousClock.now < end {
                let step = try writer.step()
                isMore = step.isMore
                if step.strayCount > 0 {
                    node.onEvent(.columnsDamaged(path: node.address.description))
                }
            }
            state.blockFailure = nil
        } catch {
            guard !connection.isLost else {
                throw error
            }
            report(StoreError.translated(error, node.address), unless: &state.blockFailure)
        }
    }

    /// Says why something failed, unless that was the reason last time.
    private func report(_ error: any Error, unless last: inout String?) {
        let reason = "\(error)"
        if last != reason {
            last = reason
            node.onEvent(.upkeepFailed(store: node.address.description, reason: reason))
        }
    }

    // MARK: Counts

    /// Sums rows of counts that belong together; those of transactions that run are left for the next round.
    private func compact(_ connection: PostgreSQLConnection) throws {
        try compact("delivery", by: "quarter", ", status, traffic, reason, recipient", above: 200, connection)
        try compact("repeat_delay", by: "quarter", ", delay", ["count"], above: 100, connection)
        try compact("quarantine_change", by: "class", "", ["count", "bytes"], above: 100, connection)
    }

    private func compact(
        _ table: String, by key: String, _ others: String = "", _ counts: [String] = ["count", "kept"], above most: Int,
        _ connection: PostgreSQLConnection
    ) throws {
        try connection.run(
            """
            WITH gone AS (
                DELETE FROM skan.\(table) WHERE \(key) IN (
                    SELECT \(key) FROM skan.\(table) GROUP BY \(key) HAVING count(*) > \(most) LIMIT 64)
                RETURNING *
            )
            INSERT INTO skan.\(table) (\(key)\(others), \(counts.joined(separator: ", ")))
            SELECT \(key)\(others), \(counts.map { "sum(\($0))" }.joined(separator: ", ")) FROM gone
            GROUP BY \(key)\(others)
            HAVING \(counts.map { "sum(\($0)) <> 0" }.joined(separator: " OR "))
            """)
    }

    // MARK: The quarantine

    /// Lets the oldest garbage go, then the oldest forgeries, until what is there fits into the bound.
    private func trim(_ connection: PostgreSQLConnection) throws {
        for victim in QuarantineClass.forged.victims {
            let excess = try QuarantineRoom(node.settings.budgets, connection).excess(adding: 0, of: victim)
            guard excess > 0 else {
                return
            }
            try connection.run(
                """
                WITH oldest AS (
                    SELECT id, sum(octet_length(body)) OVER (ORDER BY id) - octet_length(body) AS before
                    FROM skan.quarantine WHERE class = $1
                ), gone AS (
                    DELETE FROM skan.quarantine WHERE id IN (SELECT id FROM oldest WHERE before < $2)
                    RETURNING octet_length(body) AS bytes
                )
                INSERT INTO skan.quarantine_change (class, count, bytes)
                SELECT $1, -count(*), -coalesce(sum(bytes), 0) FROM gone
                """, [.text(victim.rawValue), .integer(excess)])
        }
    }

    /// Closes the connection.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.connection = nil
        }
    }
}

extension QuarantineRoom {
    /// How full the quarantine is, for all nodes together.
    init(_ budgets: QuarantineBudgets, _ connection: PostgreSQLConnection) throws {
        self.init(budgets)
        let sums = try connection.run(
            "SELECT class, sum(count)::int8, sum(bytes)::int8 FROM skan.quarantine_change GROUP BY class")
        var totals: [QuarantineClass: Used] = [:]
        for row in 0..<sums.count {
            totals[try sums.word(row, 0)] = Used(rows: try sums.integer(row, 1), bytes: try sums.integer(row, 2))
        }
        let hours = try connection.run(
            """
            WITH newest AS (
                SELECT floor(max(received_at) / $1::numeric)::int8 AS hour FROM skan.quarantine
            )
            SELECT newest.hour, q.class, q.traffic, q.client, count(*), sum(octet_length(q.body))::int8
            FROM newest JOIN skan.quarantine AS q ON q.received_at >= newest.hour * $1
            GROUP BY newest.hour, q.class, q.traffic, q.client
            """, [.integer(Self.hourMilliseconds)])
        var used: [(budget: Budget, client: String, used: Used)] = []
        var hour: Int64 = 0
        for row in 0..<hours.count {
            hour = try hours.integer(row, 0)
            used.append(
                (
                    Budget(try hours.word(row, 1), Traffic(rawValue: try hours.text(row, 2))),
                    try hours.text(row, 3),
                    Used(rows: try hours.integer(row, 4), bytes: try hours.integer(row, 5))
                ))
        }
        replace(totals: totals, hour: (hour, used))
    }
}
