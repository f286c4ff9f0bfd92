import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import PostgreSQLStore
import TestSupport
import Testing

// Serialized, because each test keeps a processor busy and other tests measure time.
@Suite("Counting from blocks in PostgreSQL", .serialized)
struct BlockTests {
    let store: BlockStore
    let postbacks: Postbacks

    init() throws {
        store = try BlockStore()
        postbacks = try ManyPostbacks.postbacks()
    }

    private func differences() async throws -> [String] {
        let verifier = postbacks.verifier
        let reader = PostgreSQLLedgerReader(try store.address, patience: .seconds(60))
        defer { reader.close() }
        return try await reader.recount { verifier.judge($0) }.differences.map(\.description)
    }

    /// Damage to every part of what is stored, and how many postbacks are named for it; nil for some.
    static let damages: [(String, Int?)] = [
        ("UPDATE skan.block SET last_id = last_id + 1 WHERE number = 1", 4_096),
        ("UPDATE skan.block SET after_order = 0, after_id = 0 WHERE number = 2", 4_396),
        ("UPDATE skan.block SET rules = 99 WHERE number = 1", 4_096),
        ("UPDATE skan.block SET checksum = 0", 8_492), ("DELETE FROM skan.block WHERE number = 1", 4_096),
        ("DELETE FROM skan.block_column WHERE number = 2 AND column_number = 6", 4_096),
        (
            "UPDATE skan.block_column SET offsets = set_byte(offsets, 7, get_byte(offsets, 7) # 1) "
                + "WHERE number = 1 AND column_number = 1", 4_096
        ),
        (
            """
            UPDATE skan.block_column AS one SET offsets = two.offsets, lowest = two.lowest, highest = two.highest,
                checksum = two.checksum
            FROM skan.block_column AS two
            WHERE one.number = 1 AND two.number = 2 AND one.column_number = 1 AND two.column_number = 1
            """, 4_096
        ),
        ("UPDATE skan.column_value SET value = '7' WHERE column_number = 3 AND code = 1", nil),
        ("UPDATE skan.column_value SET code = code + 4000000000 WHERE column_number = 1 AND code = 1", nil),
        ("DELETE FROM skan.column_value", 8_192),
    ]

    @Test("What is damaged is counted from facts, each postback once, named, and repaired", arguments: damages)
    func damage(_ damage: String, _ named: Int?) async throws {
        try store.sql(damage)
        let found = try await store.expectExact()
        #expect(found > 0 && found == named ?? found)
        let node = try store.node()
        #expect(try node.record(store.many.deliveries.suffix(400)).allSatisfy { $0 == .duplicate(.test) })
        let verifier = postbacks.verifier
        let repair = try await node.repair { verifier.judge($0) }
        #expect(repair.found.differenceCount > 0 && repair.remaining.differences == [])
        #expect(try await store.expectExact() == 0)
        #expect(try store.sql("SELECT count(*), sum(row_count) FROM skan.block") == "2|8192")
    }

    @Test("A node fills what is missing between two blocks, and they stay what they are")
    func gap() async throws {
        try store.sql("DELETE FROM skan.block WHERE number = 1")
        let node = try store.node()
        try store.beat(node, until: "SELECT count(*) = 2 FROM skan.block")
        #expect(try await store.expectExact() == 0)
        #expect(
            try store.sql("SELECT string_agg(number::text, ',' ORDER BY last_order, last_id) FROM skan.block") == "3,2")
        #expect(try await differences() == [])
    }

    @Test("Two nodes that record and write blocks at once leave one chain of blocks")
    func twoNodes() async throws {
        let nodes = [try store.node(), try store.node()]
        let others = try ManyPostbacks.others()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, node) in nodes.enumerated() {
                group.addTask {
                    for start in stride(from: index * 100, to: others.count, by: 200) {
                        _ = try node.record(Array(others[start..<min(start + 100, others.count)]))
                        node.heartbeat()
                    }
                }
            }
            try await group.waitForAll()
        }
        try store.beat(nodes[0], until: "SELECT count(*) = 3 FROM skan.block")
        let broken = """
            SELECT count(*) FROM (
                SELECT after_order, after_id, lag(last_order, 1, 0) OVER chain AS order, lag(last_id, 1, 0) OVER chain AS id
                FROM skan.block WINDOW chain AS (ORDER BY last_order, last_id)
            ) AS pair WHERE (after_order, after_id) <> (pair.order, pair.id)
            """
        #expect(try store.sql(broken) == "0")
        #expect(try store.sql("SELECT sum(row_count) FROM skan.block") == "12288")
        let reader = PostgreSQLLedgerReader(try store.address, patience: .seconds(60))
        defer { reader.close() }
        let answer = try await reader.answer(LedgerQuestion(dimensions: [.app], traffic: .test))
        #expect(answer.totals[.postbacks] == Int64(store.many.deliveries.count + others.count))
        #expect(answer.damaged == [])
        #expect(try await differences() == [])
    }

    /// Makes every block one of other rules, and whole.
    private func setRules(_ rules: Int64) throws {
        try store.sql("UPDATE skan.block SET rules = \(rules)")
        let rows = try store.sql(
            """
            SELECT number, after_order, after_id, last_order, last_id, row_count, missing_count, lowest_quarter,
                highest_quarter, rules
            FROM skan.block
            """)
        for row in rows.split(separator: "\n") {
            let numbers = row.split(separator: "|").compactMap { Int64($0) }
            var sum = Checksum()
            for number in numbers {
                sum.add(number)
            }
            try store.sql(
                "UPDATE skan.block SET checksum = \(Int64(bitPattern: sum.value)) WHERE number = \(numbers[0])")
        }
    }

    @Test("Blocks of a later release are neither read nor written, and its postbacks counted from facts")
    func laterRules() async throws {
        try setRules(ColumnBlock.rules + 1)
        let node = try store.node()
        _ = try node.record(try ManyPostbacks.others())
        for _ in 0..<31 {
            node.heartbeat()
        }
        #expect(
            try store.sql("SELECT string_agg(number || ':' || rules, ',' ORDER BY number) FROM skan.block") == "1:2,2:2"
        )
        let reader = PostgreSQLLedgerReader(try store.address, patience: .seconds(60))
        defer { reader.close() }
        let answer = try await reader.answer(LedgerQuestion(dimensions: [.app], traffic: .test))
        #expect(
            answer.totals[.postbacks] == Int64(try store.many.deliveries.count + ManyPostbacks.others().count))
        // They are not damaged.
        #expect(answer.damaged == [])
        #expect(try await differences() == [])
    }

    @Test("Blocks of an earlier release are written again")
    func earlierRules() async throws {
        try setRules(ColumnBlock.rules - 1)
        #expect(try await store.expectExact() == 0)
        let node = try store.node()
        try store.beat(node, until: "SELECT bool_and(rules = 1) FROM skan.block")
        #expect(try await store.expectExact() == 0)
        #expect(try await differences() == [])
    }

    @Test("Whoever changes facts takes their block away, and a node writes it again")
    func changedFacts() async throws {
        try store.sql("UPDATE skan.postback SET app = network WHERE id = 5000")
        #expect(try store.sql("SELECT string_agg(number::text, ',') FROM skan.block") == "1")
        let verifier = postbacks.verifier
        let node = try store.node()
        let repair = try await node.repair { verifier.judge($0) }
        #expect(repair.remaining.differences == [])
        #expect(try store.sql("SELECT count(*) FROM skan.block") == "2")
        #expect(try await store.expectExact() == 0)
        #expect(throws: PostgreSQLServer.Failure.self) {
            try store.sql("BEGIN ISOLATION LEVEL REPEATABLE READ; DELETE FROM skan.postback WHERE id = 1; COMMIT")
        }
    }

    @Test("Bodies can go with their partition: damaged blocks are counted from facts all the same")
    func droppedBodies() async throws {
        let partition = try store.sql("SELECT DISTINCT tableoid::regclass FROM skan.postback_body")
        try store.sql("DROP TABLE \(partition); DELETE FROM skan.block_column WHERE number = 1")
        #expect(try await store.expectExact() == 4_096)
    }

    @Test("A text that facts lack is read from the bytes; without them the postback is named, and not guessed")
    func lostText() async throws {
        let traits = try store.sql("SELECT traits FROM skan.postback WHERE id = 1")
        let count = try #require(Int(store.sql("SELECT count(*) FROM skan.postback WHERE traits = \(traits)")))
        // As a later release may write it.
        try store.sql(
            """
            UPDATE skan.value SET value = 'later|' || value
            WHERE code = \(traits);
            DELETE FROM skan.block
            """)
        try await store.expectExact()
        let node = try store.node()
        try store.beat(node, until: "SELECT count(*) = 2 FROM skan.block")
        try await store.expectExact()
        let partition = try store.sql("SELECT DISTINCT tableoid::regclass FROM skan.postback_body")
        try store.sql("DROP TABLE \(partition)")
        let reader = PostgreSQLLedgerReader(try store.address, patience: .seconds(60))
        defer { reader.close() }
        let answer = try await reader.answer(LedgerQuestion(dimensions: [.app], traffic: .test))
        #expect(answer.unreadableCount == count)
        #expect(answer.totals[.postbacks] == Int64(store.many.deliveries.count - count))
    }
}
