import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import PostgreSQLStore
import TestSupport
import Testing

@Suite("Recording into PostgreSQL", .serialized)
struct RecordingTests {
    let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    @Test("What two nodes receive at once is recorded once; each delivery is counted under one kind")
    func twoNodes() async throws {
        let nodes = try [database.node(), database.node()]
        let deliveries = try (0..<120).map { try database.delivery(id: "p\($0)") }
        let statuses = try await withThrowingTaskGroup(of: [Recording?].self) { group in
            for node in nodes {
                for start in stride(from: 0, to: 120, by: 30) {
                    // In both directions, so that unsorted keys would wait for each other in a circle.
                    let batch = Array(deliveries[start..<(start + 30)])
                    group.addTask { try node.record(batch) }
                    group.addTask { try node.record(batch.reversed()) }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.count { $0 == .recorded(.test) } == 120)
        #expect(statuses.count { $0 == .duplicate(.test) } == 360)
        let counts = try await database.counts()
        #expect(counts.totals[.postbacks] == 120 && counts.deliveries.received == 480)
        #expect(try await database.differences() == [])
    }

    @Test("A copy that says something else is a conflict at every node, and its content is kept once")
    func conflicts() async throws {
        let nodes = try [database.node(), database.node()]
        let copies = try database.contradiction(id: "a")
        #expect(try nodes[0].record([copies[0]]) == [.recorded(.test)])
        #expect(try nodes[1].record([copies[1], copies[0]]) == [.conflict(.test), .duplicate(.test)])
        #expect(try nodes[0].record([copies[1]]) == [.conflict(.test)])
        let kept = try await database.reader().quarantine(QuarantineQuery())
        #expect(kept.map(\.kind) == [.conflict] && kept.map(\.postbackID) == [1])
        #expect(try await database.differences() == [])
    }

    @Test("Of two contents that two nodes record at once one counts, and the other is a conflict")
    func conflictsAtOnce() async throws {
        let nodes = try [database.node(), database.node()]
        let pairs = try (0..<60).map { try database.contradiction(id: "c\($0)") }
        let recordings = try await withThrowingTaskGroup(of: [Recording?].self) { group in
            for start in stride(from: 0, to: 60, by: 10) {
                // Each node has one content of each, in the other's opposite order.
                let batch = pairs[start..<(start + 10)]
                group.addTask { try nodes[0].record(batch.map { $0[0] }) }
                group.addTask { try nodes[1].record(batch.reversed().map { $0[1] }) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(recordings.count { $0 == .recorded(.test) } == 60)
        #expect(recordings.count { $0 == .conflict(.test) } == 60)
        let counts = try await database.counts()
        #expect(counts.totals[.postbacks] == 60 && counts.deliveries.count(.conflict, .test) == 60)
        #expect(try await database.reader().quarantine(QuarantineQuery(limit: 100)).count == 60)
        #expect(try await database.differences() == [])
    }

    @Test("Copies of one postback in one batch are told apart in the order received")
    func withinABatch() throws {
        let copies = try database.contradiction(id: "a")
        let answers = try database.node().record([copies[0], copies[0], copies[1], copies[0]])
        #expect(answers == [.recorded(.test), .duplicate(.test), .conflict(.test), .duplicate(.test)])
    }

    /// What a proxy does with the messages of a recording transaction, and whether it may have happened.
    static let cuts: [(CuttingProxy.Cut, isRecorded: Bool)] = [
        (.before("BEGIN"), true), (.after("BEGIN"), true), (.before("skan.batch"), false),
        (.after("skan.batch"), false), (.before("postback_key"), false), (.after("postback_key"), false),
        (.within("postback_key"), false), (.before("skan.delivery"), false), (.after("skan.delivery"), false),
        (.before(" COMMIT "), false), (.after(" COMMIT "), true), (.within(" COMMIT "), true),
    ]

    @Test("A connection cut anywhere loses nothing that was acknowledged, and counts nothing twice", arguments: cuts)
    func cutConnection(_ cut: CuttingProxy.Cut, _ isRecorded: Bool) async throws {
        let proxy = try CuttingProxy(to: database.server.port)
        let node = try database.node(port: proxy.port)
        #expect(try node.record([database.delivery(id: "before")]) == [.recorded(.test)])
        let delivery = try database.delivery(id: "a")
        proxy.cut(cut)
        let answer = Result { try node.record([delivery]) }
        #expect(proxy.cuts == 1)
        if isRecorded {
            #expect(try answer.get() == [.recorded(.test)])
        } else {
            #expect(throws: StoreError.self) { try answer.get() }
            #expect(node.health != .ready)
        }
        // Whoever was refused comes back, and the node is ready again.
        let again = try node.record([delivery])
        #expect(again == [isRecorded ? .duplicate(.test) : .recorded(.test)])
        #expect(node.health == .ready)
        let counts = try await database.counts()
        #expect(counts.totals[.postbacks] == 2)
        #expect(counts.deliveries.received == (isRecorded ? 3 : 2))
        #expect(try await database.differences() == [])
    }

    @Test("Without a server nothing is acknowledged; the node says so, and goes on by itself afterwards")
    func noServer() throws {
        let server = try PostgreSQLServer()
        let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(server.makeDatabase()))
        let delivery = try database.delivery(id: "a")
        #expect(try node.record([delivery]) == [.recorded(.test)])
        server.stop()
        #expect(throws: StoreError.self) { try node.record([delivery]) }
        node.heartbeat()
        #expect(node.health.reason?.contains("no server that takes writes") == true)
        try server.start()
        node.heartbeat()
        #expect(node.health == .ready)
        #expect(try node.record([delivery]) == [.duplicate(.test)])
    }

    @Test("Codes that a node remembers and the server lacks are looked up anew, not written")
    func staleCodes() async throws {
        let node = try database.node()
        _ = try node.record([database.delivery(id: "a")])
        // As after a failover to a server that never saw them.
        try database.sql("UPDATE skan.value SET value = value || '-other' WHERE kind = 'network'")
        #expect(try node.record([database.delivery(id: "b")]) == [.recorded(.test)])
        #expect(try database.sql("SELECT count(DISTINCT network) FROM skan.postback") == "2")
    }

    @Test("The bound of the quarantine is kept by one node for all, and what may be genuine never goes")
    func bound() async throws {
        let budgets = QuarantineBudgets(totalBytes: 4_000)
        let nodes = try [database.node(budgets: budgets), database.node(budgets: budgets)]
        let garbage = Delivery(
            judgement: .rejected(.malformed([]), body: Array(repeating: 0x20, count: 500)), recipient: .network,
            receivedAtMilliseconds: TestDatabase.noon)
        for node in nodes {
            for _ in 0..<10 {
                #expect(try node.record([garbage])[0]?.isKept == true)
            }
        }
        nodes[0].heartbeat()
        let totals = try await database.reader().quarantineTotals()
        #expect(totals.map(\.bytes) == [4_000])
        #expect(try await database.differences() == [])
    }

    /// How many of some bodies of garbage a node keeps.
    private func keptGarbage(_ count: Int, _ node: PostgreSQLLedgerWriter) throws -> Int {
        let garbage = Delivery(
            judgement: .rejected(.malformed([]), body: [0x20]), recipient: .network,
            receivedAtMilliseconds: TestDatabase.noon)
        return try node.record(Array(repeating: garbage, count: count)).count { $0?.isKept == true }
    }

    private func budgets(garbage rows: Int64) -> QuarantineBudgets {
        QuarantineBudgets(hourly: [.garbage: .init(rows: rows, bytes: 1 << 20)], shares: 1)
    }

    /// Lets a node look at what all have kept, which it does now and then.
    private func look(_ node: PostgreSQLLedgerWriter) {
        for _ in 0..<5 {
            node.heartbeat()
        }
    }

    @Test("A node finds out what others have kept in an hour, and keeps no more then")
    func hourlyBudget() throws {
        let budgets = budgets(garbage: 8)
        let nodes = try [database.node(budgets: budgets), database.node(budgets: budgets)]
        #expect(try keptGarbage(5, nodes[0]) == 5)
        nodes.forEach(look)
        #expect(try nodes.map { try keptGarbage(10, $0) } == [3, 3])
        nodes.forEach(look)
        #expect(try nodes.map { try keptGarbage(10, $0) } == [0, 0])
        // A third one, which has just come, finds nothing left.
        #expect(try keptGarbage(1, database.node(budgets: budgets)) == 0)
    }

    @Test("After a commit whose answer was lost a node knows what all have kept")
    func roomAfterLostCommit() throws {
        let budgets = budgets(garbage: 100)
        let proxy = try CuttingProxy(to: database.server.port)
        let cut = try PostgreSQLLedgerWriter(
            PostgreSQLAddress(database.server.address(database.name, port: proxy.port)),
            settings: LedgerSettings(networks: OwnNetworks(), budgets: budgets))
        let other = try database.node(budgets: budgets)
        look(cut)
        for _ in 0..<10 {
            look(other)
            _ = try keptGarbage(100, other)
        }
        proxy.cut(.after(" COMMIT "))
        #expect(try keptGarbage(1, cut) == 1)
        #expect(proxy.cuts == 1)
        #expect(try keptGarbage(100, cut) == 0)
    }

    @Test("Two nodes that judge the quarantine at once move each delivery once")
    func requeue() async throws {
        let nodes = try [database.node(), database.node()]
        let stranger = try PostbackVerifier()
        let bodies = try (0..<300).map { try database.standIn.sign(database.draft(id: "p\($0)")) }
        for start in stride(from: 0, to: 300, by: 100) {
            _ = try nodes[0].record(bodies[start..<(start + 100)].map { database.delivery($0, by: stranger) })
        }
        let verifier = database.verifier
        let moved = try await withThrowingTaskGroup(of: Requeued.self) { group in
            for node in nodes {
                group.addTask { try node.requeue(QuarantineQuery(limit: .max)) { verifier.judge($0) } }
            }
            return try await group.reduce(into: Int64(0)) { $0 += $1.recorded }
        }
        #expect(moved == 300)
        let counts = try await database.counts()
        #expect(counts.totals[.postbacks] == 300 && counts.deliveries.received == 300)
        #expect(counts.deliveries.quarantined == 0)
        #expect(try await database.reader().quarantine(QuarantineQuery()).isEmpty)
        #expect(try await database.differences() == [])
    }
}
