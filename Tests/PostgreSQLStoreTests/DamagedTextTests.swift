import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import StrictJSON
import Testing

/// A changed row of `skan.value` would rename what every postback with its code says.
@Suite("Damaged texts in PostgreSQL")
struct DamagedTextTests {
    let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private func delivery(_ id: String, app: Int64 = 525_463_029) throws -> Delivery {
        var draft = database.draft(id: id)
        draft[.appID] = .integer(app)
        return database.delivery(try database.standIn.sign(draft))
    }

    private func rows() async throws -> [String] {
        let reader = try database.reader()
        defer { reader.close() }
        let answer = try await reader.answer(
            LedgerQuestion(dimensions: [.app, .network, .version, .sourceIdentifier], traffic: .test))
        return answer.rows.map { row in "\(row.values) \(row.counts[.postbacks])" }.sorted()
    }

    static let damages = [
        "UPDATE skan.value SET value = '525463028' WHERE kind = 'app'",
        "UPDATE skan.value SET value = value || 'x' WHERE kind = 'network'",
        "UPDATE skan.value SET value = '' WHERE kind = 'source-identifier'",
        "UPDATE skan.value SET value = replace(value, '4.0', '3.0') WHERE kind = 'traits'",
        "UPDATE skan.value SET kind = 'app' WHERE kind = 'network'",
        "UPDATE skan.value SET kind = 'unheard-of' WHERE kind = 'network'",
        "UPDATE skan.value SET checksum = '' WHERE kind = 'app'",
        "UPDATE skan.value SET value = 'another key' WHERE kind = 'key-name'",
    ]

    @Test(
        "A changed text is found when it is read, gives no wrong figure, and is taken from the bytes",
        arguments: damages)
    func changed(_ damage: String) async throws {
        let node = try database.node()
        let deliveries = try ["a", "b", "c"].map { try delivery($0) }
        #expect(try node.record(deliveries).allSatisfy { $0 == .recorded(.test) })
        let before = try await rows()
        try database.sql(damage)
        #expect(try await rows() == before)
        let found = try await database.differences()
        #expect(found.count == 1 && found[0].hasPrefix("the text of code "), "\(found)")

        // It is recorded on, also by a node that knew the code, and also what the damaged row says now.
        let other = try database.node()
        #expect(
            try node.record([delivery("d"), delivery("e", app: 525_463_028)]).allSatisfy { $0 == .recorded(.test) })
        #expect(try other.record([delivery("f"), delivery("a")]) == [.recorded(.test), .duplicate(.test)])
        let recorded = try await rows()
        #expect(recorded.count == 2, "\(recorded)")

        let verifier = database.verifier
        let repair = try await node.repair { verifier.judge($0) }
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try await rows() == recorded)
        let damaged = "SELECT count(*) FROM skan.value WHERE checksum <> skan.value_checksum(code, kind, value)"
        #expect(try database.sql(damaged) == "0")
    }

    @Test("Where the bytes are gone, postbacks with a damaged text are named, and not guessed")
    func withoutBytes() async throws {
        let node = try database.node()
        _ = try node.record(["a", "b", "c"].map { try delivery($0) })
        let partition = try database.sql("SELECT DISTINCT tableoid::regclass FROM skan.postback_body")
        try database.sql("DROP TABLE \(partition); UPDATE skan.value SET value = 'x' WHERE kind = 'app'")
        let reader = try database.reader()
        defer { reader.close() }
        let answer = try await reader.answer(LedgerQuestion(dimensions: [.app], traffic: .test))
        #expect(answer.unreadableCount == 3 && answer.totals[.postbacks] == 0)
        let verifier = database.verifier
        let repair = try await node.repair { verifier.judge($0) }
        #expect(repair.remaining.differences.count == 1)
        #expect(try database.sql("SELECT count(*) FROM skan.value WHERE value = 'x'") == "1")
    }

    @Test("A damaged text that no postback has is removed")
    func unused() async throws {
        let node = try database.node()
        _ = try node.record([delivery("a")])
        try database.sql(
            "INSERT INTO skan.value (kind, value) VALUES ('app', '7'); UPDATE skan.value SET value = '8' WHERE value = '7'"
        )
        #expect(try await database.differences().count == 1)
        let verifier = database.verifier
        #expect(try await node.repair { verifier.judge($0) }.remaining.differences == [])
        #expect(try database.sql("SELECT count(*) FROM skan.value WHERE value IN ('7', '8')") == "0")
    }

    @Test("A code is given no empty text by postbacks without the field, and is named")
    func withoutField() async throws {
        let node = try database.node()
        _ = try node.record([delivery("a")])
        // A damaged row has the code of a country, which its bytes do not name.
        try database.sql(
            """
            INSERT INTO skan.value (kind, value) VALUES ('country', 'US');
            UPDATE skan.value SET checksum = '' WHERE kind = 'country';
            UPDATE skan.postback SET country = (SELECT code FROM skan.value WHERE kind = 'country')
            """)
        let verifier = database.verifier
        let remaining = try await node.repair { verifier.judge($0) }.remaining.differences.map(\.description)
        #expect(remaining.contains { $0.hasPrefix("the text of code ") }, "\(remaining)")
        #expect(try database.sql("SELECT count(*) FROM skan.value WHERE value = ''") == "0")
    }

    @Test("Texts are not removed while a transaction that may use them has not ended, which is awaited once for all")
    func usedMeanwhile() async throws {
        let node = try database.node()
        _ = try node.record([delivery("a")])
        let unused = "WHERE value IN ('71', '72', '73', '74', '75', '76', '77', '78', '79')"
        try database.sql(
            """
            INSERT INTO skan.value (kind, value) SELECT 'app', '7' || number FROM generate_series(1, 9) AS number;
            UPDATE skan.value SET checksum = '' \(unused)
            """)
        // As an insert locks it.
        let recording = try Psql(database.text)
        try recording.run("BEGIN; LOCK TABLE skan.postback IN ROW EXCLUSIVE MODE; SELECT 1;")
        let verifier = database.verifier
        let start = ContinuousClock.now
        #expect(try await node.repair { verifier.judge($0) }.remaining.differenceCount == 9)
        // Each wait takes two seconds.
        #expect(ContinuousClock.now - start < .seconds(16))
        #expect(try database.sql("SELECT count(*) FROM skan.value \(unused)") == "9")
        try recording.run("ROLLBACK; SELECT 1;")
        #expect(try await node.repair { verifier.judge($0) }.remaining.differences == [])
        #expect(try database.sql("SELECT count(*) FROM skan.value \(unused)") == "0")
    }

    @Test("A node of an earlier release gives no checksum, and its texts have one all the same")
    func earlierNode() throws {
        let node = try database.node()
        _ = try node.record([delivery("a")])
        try database.sql("INSERT INTO skan.value (kind, value) VALUES ('app', '7') ON CONFLICT DO NOTHING")
        let intact = "SELECT checksum = skan.value_checksum(code, kind, value) FROM skan.value WHERE value = '7'"
        #expect(try database.sql(intact) == "t")
    }
}
