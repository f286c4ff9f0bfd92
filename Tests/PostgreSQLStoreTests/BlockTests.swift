import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import TestSupport
import Testing

@Suite("Blocks of columns in PostgreSQL", .serialized, .timeLimit(.minutes(10)))
struct BlockTests {
    /// A database with two full blocks and some postbacks behind them, made once and copied for each test.
    private struct Filled {
        let database: TestDatabase
        let deliveries: [Delivery]
        let rows: [LedgerRow]

        static let made = Task { try await Filled() }

        private init() async throws {
            database = try TestDatabase()
            try database.verifier.prepareTables()
            let plan = try TrafficPlan(
                postbacks: 2 * 4_096 + 100, seed: 7, shares: TrafficShares().scaled(by: 0), standIn: database.standIn)
            deliveries = plan.deliveries.map { [database] in database.delivery($0.body) }
            let node = try database.node()
            for start in stride(from: 0, to: deliveries.count, by: 1_000) {
                _ = try node.record(Array(deliveries[start..<min(start + 1_000, deliveries.count)]))
            }
            rows = try await Filled.rows(database.text)
            let end = ContinuousClock.now + .seconds(60)
            while try database.sql("SELECT count(*) FROM skan.block") != "2", ContinuousClock.now < end {
                node.heartbeat()
            }
            try #require(try database.sql("SELECT count(*) FROM skan.block") == "2")
            try node.close()
        }

        static func rows(_ text: String) async throws -> [LedgerRow] {
            let reader = try PostgreSQLLedgerReader(PostgreSQLAddress(text))
            defer { reader.close() }
            return Array(
                try await reader.answer(LedgerQuestion(dimensions: [.app, .sourceApp, .version], traffic: .test)).rows)
        }
    }

    /// What a row of `skan.block` must not be able to do: none of it counts a postback twice, or passes one over.
    static let damages = [
        "UPDATE skan.block SET last_id = last_id - 1 WHERE number = 1",
        "UPDATE skan.block SET last_id = last_id + 1 WHERE number = 1",
        "UPDATE skan.block SET after_id = after_id + 1 WHERE number = 2",
        "UPDATE skan.block SET after_id = after_id - 1 WHERE number = 2",
        "UPDATE skan.block SET after_order = 0, after_id = 0 WHERE number = 2",
        "UPDATE skan.block SET last_order = last_order + 1000000 WHERE number = 2",
        "UPDATE skan.block SET last_order = after_order, last_id = after_id + 1, row_count = 1 WHERE number = 1",
        "UPDATE skan.block SET row_count = row_count - 1 WHERE number = 1",
        "UPDATE skan.block SET row_count = 4097 WHERE number = 1", "UPDATE skan.block SET row_count = -1",
        "UPDATE skan.block SET missing_count = 5 WHERE number = 1",
        "UPDATE skan.block SET lowest_quarter = lowest_quarter + 1, highest_quarter = highest_quarter + 1",
        "UPDATE skan.block SET rules = 99", "UPDATE skan.block SET checksum = 0",
        "DELETE FROM skan.block WHERE number = 1", "DELETE FROM skan.block_column WHERE number = 2",
        """
        UPDATE skan.block_column AS own SET (lowest, highest, offsets, checksum) = (
            SELECT lowest, highest, offsets, checksum FROM skan.block_column AS other
            WHERE other.number = 3 - own.number AND other.column_number = own.column_number)
        """,
        """
        INSERT INTO skan.block SELECT number + 10, after_order, after_id, last_order, last_id, row_count, missing_count,
            lowest_quarter, highest_quarter, rules, checksum FROM skan.block
        """,
    ]

    @Test(
        "Whatever a row of a block says, each postback counts once, and a repair mends it",
        arguments: damages)
    func damage(_ damage: String) async throws {
        let filled = try await Filled.made.value
        let server = filled.database.server
        let text = try server.makeDatabase(from: filled.database.name)
        try server.sql(damage, database: text)
        func expectSame() async throws {
            let rows = try await Filled.rows(text)
            #expect(rows.count == filled.rows.count)
            let expected = Dictionary(filled.rows.map { ($0.values, $0.counts) }) { first, _ in first }
            #expect(rows.allSatisfy { expected[$0.values] == $0.counts })
        }
        try await expectSame()
        let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(text))
        let again = try node.record(Array(filled.deliveries.suffix(200)))
        #expect(again.allSatisfy { $0 == .duplicate(.test) })
        let verifier = filled.database.verifier
        let repair = try await node.repair { verifier.judge($0) }
        #expect(repair.found.differenceCount > 0)
        #expect(repair.remaining.differences == [])
        try await expectSame()
        try node.close()
    }
}
