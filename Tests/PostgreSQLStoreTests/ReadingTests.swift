import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import PostgreSQLStore
import TestSupport
import Testing

@Suite("Reading from PostgreSQL", .serialized)
struct ReadingTests {
    let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    /// The ids that an export hands out after a position, and where it goes on.
    private func export(
        _ reader: PostgreSQLLedgerReader, after position: LedgerPosition? = nil
    ) async throws -> (ids: [Int64], position: LedgerPosition) {
        let page = try await reader.export(ExportQuery(traffic: .test, after: position))
        return (page.postbacks.map(\.postback.id), page.position)
    }

    @Test(
        "What a transaction that still runs may put before a position is not passed by: nothing appears behind a reader"
    )
    func horizon() async throws {
        // Of its own: transactions are numbered for a whole cluster.
        let server = try PostgreSQLServer()
        let text = try server.makeDatabase()
        let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(text))
        let reader = PostgreSQLLedgerReader(try PostgreSQLAddress(text))
        _ = try node.record([database.delivery(id: "a")])
        // A transaction that began first and ends last.
        let slow = try Psql(text)
        try slow.run("BEGIN; SELECT pg_current_xact_id();")
        _ = try node.record([database.delivery(id: "b")])
        let during = try await export(reader)
        #expect(during.ids == [1])
        let counted = try await reader.answer(LedgerQuestion(traffic: .test))
        #expect(counted.totals[.postbacks] == 1 && counted.position == during.position)
        try slow.run("COMMIT;")
        let after = try await export(reader, after: during.position)
        #expect(after.ids == [2])
        let again = try await reader.answer(LedgerQuestion(traffic: .test, asOf: counted.position))
        #expect(again.totals == counted.totals)
    }

    @Test("What a transaction that still runs holds back is not forwarded yet, and it is said since when")
    func held() async throws {
        let server = try PostgreSQLServer()
        let text = try server.makeDatabase()
        let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(text))
        let reader = PostgreSQLLedgerReader(try PostgreSQLAddress(text))
        let cursor = try #require(try node.claim(["x"]).first?.cursor)
        let slow = try Psql(text)
        try slow.run("BEGIN; SELECT pg_current_xact_id();")
        _ = try node.record([database.delivery(id: "a")])
        #expect(try await reader.feed(after: cursor, limit: 9, bytes: 9_999).postbacks.isEmpty)
        let during = try await reader.forwardingStatus()
        #expect(during.heldSince != nil && during["x"]?.count == 1)
        try slow.run("COMMIT;")
        let page = try await reader.feed(after: cursor, limit: 9, bytes: 9_999)
        #expect(page.postbacks.map(\.postback.id) == [1] && page.end == page.postbacks.first?.cursor)
        #expect(try await reader.forwardingStatus().heldSince == nil)
    }

    @Test("Readers that go on while two nodes record get everything once, in one order")
    func order() async throws {
        let nodes = try [database.node(), database.node()]
        let deliveries = try (0..<400).map { try database.delivery(id: "p\($0)") }
        let reader = try database.reader()
        async let exported = {
            var ids: [Int64] = []
            var query = ExportQuery(traffic: .test, limit: 17)
            while ids.count < 400 {
                let page = try await reader.export(query)
                ids += page.postbacks.map(\.postback.id)
                query.after = page.position
            }
            return ids
        }()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, node) in nodes.enumerated() {
                let own = Array(deliveries[(index * 200)..<(index * 200 + 200)])
                group.addTask {
                    for start in stride(from: 0, to: 200, by: 9) {
                        _ = try node.record(Array(own[start..<min(start + 9, 200)]))
                    }
                }
            }
            try await group.waitForAll()
        }
        let ids = try await exported
        #expect(ids.count == 400 && Set(ids).count == 400)
        // The order is one for ever.
        var again: [Int64] = []
        var query = ExportQuery(traffic: .test, limit: 100)
        while case let page = try await reader.export(query), !page.postbacks.isEmpty {
            again += page.postbacks.map(\.postback.id)
            query.after = page.position
        }
        #expect(again == ids)
    }

    @Test("After a dump was loaded into another cluster, what is recorded comes after what was there")
    func movedCluster() async throws {
        _ = try database.node().record([database.delivery(id: "a")])
        // As in a cluster whose transactions had greater numbers.
        try database.sql("UPDATE skan.postback SET commit_order = 4000000000; UPDATE skan.store SET cluster = 1")
        let node = try database.node()
        _ = try node.record([database.delivery(id: "b")])
        let page = try await export(database.reader())
        #expect(page.ids == [1, 2])
        #expect(try database.sql("SELECT min(commit_order) < max(commit_order) FROM skan.postback") == "t")
    }

    @Test("Old bodies can go with their partition, and no count changes")
    func droppedBodies() async throws {
        let node = try database.node()
        _ = try node.record([database.delivery(id: "a")])
        let before = try await database.counts()
        let partition = try database.sql("SELECT tableoid::regclass FROM skan.postback_body")
        #expect(partition.hasPrefix("skan.postback_body_20"))
        try database.sql("DROP TABLE \(partition)")
        let after = try await database.counts()
        #expect(after.totals == before.totals && after.deliveries == before.deliveries)
        #expect(try node.record([database.delivery(id: "a")])[0] == .duplicate(.test))
        let found = try await database.reader().postbacks(PostbackQuery(received: 0..<Int64.max))
        #expect(found.count == 1 && found.allSatisfy { $0.body == nil })
        #expect(try await database.differences() == [])
    }

    @Test("Rows are made fewer without changing a count")
    func compaction() async throws {
        let node = try database.node()
        let delivery = try database.delivery(id: "a")
        for _ in 0..<230 {
            _ = try node.record([delivery])
        }
        let before = try await database.counts()
        node.heartbeat()
        #expect(try Int(database.sql("SELECT count(*) FROM skan.delivery")) ?? 999 <= 2)
        let after = try await database.counts()
        #expect(after.deliveries == before.deliveries && after.deliveries.received == 230)
    }

    @Test("What was changed in the tables is found and mended from the bytes")
    func repair() async throws {
        let node = try database.node()
        _ = try node.record([database.delivery(id: "a"), database.delivery(id: "b")])
        _ = try node.record([database.delivery(Array("{}".utf8))])
        let before = try await database.counts()
        try database.sql(
            """
            UPDATE skan.postback SET app = network, quarter = quarter + 1 WHERE id = 1;
            UPDATE skan.postback_key SET content = key WHERE id = 2;
            UPDATE skan.delivery SET count = 7 WHERE status = 'recorded';
            UPDATE skan.quarantine_change SET count = 9
            """)
        #expect(try await database.differences().count == 5)
        let verifier = database.verifier
        let repair = try await node.repair { verifier.judge($0) }
        #expect(repair.remaining.differences == [] && repair.repaired == repair.found.differenceCount)
        let after = try await database.counts()
        #expect(after.totals == before.totals)
    }

    @Test(
        "A row gets no facts and digests of another row's bytes, and both are named",
        arguments: [("WHERE id = 2", [2: 1]), ("", [1: 2, 2: 1])])
    func otherBytes(_ damage: (rows: String, owners: [Int: Int])) async throws {
        let node = try database.node()
        _ = try node.record([database.delivery(id: "a"), database.delivery(id: "b")])
        let contents = "SELECT * FROM skan.postback AS p JOIN skan.postback_key AS k USING (id) ORDER BY id"
        let before = try database.sql(contents)
        try database.sql(
            """
            UPDATE skan.postback_body AS b
            SET body = (SELECT body FROM skan.postback_body AS other WHERE other.id = 3 - b.id) \(damage.rows)
            """)
        let verifier = database.verifier
        let remaining = try await node.repair { verifier.judge($0) }.remaining.differences.map(\.description)
        #expect(
            remaining
                == damage.owners.sorted { $0.key < $1.key }.map {
                    "postback \($0.key): its bytes are those of postback \($0.value)"
                })
        #expect(try database.sql(contents) == before)
    }

    @Test("Bytes that are read because no code says what a postback is are not counted when they were changed")
    func changedByte() async throws {
        _ = try database.node().record(["a", "b"].map { try database.delivery(id: $0) })
        let before = try await database.counts()
        try database.sql("UPDATE skan.value SET value = 'of a later release' WHERE kind = 'traits'")
        #expect(try await database.counts().totals == before.totals)
        try database.sql(
            """
            UPDATE skan.postback_body
            SET body = convert_to(replace(convert_from(body, 'UTF8'), '525463029', '525463028'), 'UTF8') WHERE id = 1
            """)
        let answer = try await database.reader().answer(LedgerQuestion(dimensions: [.app], traffic: .test))
        #expect(answer.totals[.postbacks] == 1 && answer.unreadableCount == 1)
        #expect(answer.rows.map(\.values) == [["525463029"]])
        #expect(try await database.differences().contains { $0.hasPrefix("postback 1: ") })
    }

    @Test("Bytes and keys whose row is missing are named")
    func bytesWithoutRow() async throws {
        _ = try database.node().record(["a", "b", "c"].map { try database.delivery(id: $0) })
        try database.sql(
            """
            DELETE FROM skan.postback WHERE id IN (2, 3);
            DELETE FROM skan.postback_key WHERE id = 2; DELETE FROM skan.postback_body WHERE id = 3
            """)
        let found = try await database.differences().filter { $0.contains("its row is missing") }
        #expect(found == ["postback 2: its row is missing", "postback 3: its row is missing"])
    }

    @Test("Other programs can read the views")
    func views() throws {
        _ = try database.node().record([database.delivery(id: "a")])
        let row = try database.sql(
            "SELECT framework, version, did_win, app, network, source_identifier, conversion_value FROM skan.postbacks")
        #expect(row == "skadnetwork|4.0|t|525463029|n.skadnetwork|39|absent")
        #expect(try database.sql("SELECT status, traffic, count FROM skan.deliveries") == "recorded|test|1")
    }
}
