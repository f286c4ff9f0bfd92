import Attribution
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import Testing

/// Rows of counts are appended, so that a wrong copy may leave a sum below 0.
@Suite("Implausible counts in PostgreSQL")
struct ImplausibleCountTests {
    @Test(
        "A count that cannot be right is named with its key, its value and the cure, and a repair leaves it",
        arguments: [
            (
                "INSERT INTO skan.delivery VALUES (7, 'duplicate', 'test', '', 'network', -1, 0)",
                #"table delivery (quarter 7, status "duplicate", traffic "test", reason "", recipient "network"): "#
                    + "count is -1,"
            ),
            (
                "INSERT INTO skan.delivery VALUES (7, 'quarantined', '', 'not-json', 'network', 1, -3)",
                #"table delivery (quarter 7, status "quarantined", traffic "", reason "not-json", "#
                    + #"recipient "network"): kept is -3,"#
            ),
            (
                "INSERT INTO skan.repeat_delay VALUES (7, 1, 9223372036854775807), (7, 1, 1)",
                "table repeat_delay (quarter 7, delay 1): count is 9223372036854775808,"
            ),
        ])
    func named(_ damage: String, _ words: String) async throws {
        let database = try TestDatabase()
        let node = try database.node()
        #expect(try node.record([database.delivery(id: "a")]) == [.recorded(.test)])
        try database.sql(damage)
        let verifier = database.verifier
        let remaining = try await node.repair { verifier.judge($0) }.remaining.differences.map(\.description)
        #expect(remaining.count == 1, "\(remaining)")
        #expect(remaining.allSatisfy { $0.hasPrefix(words) && $0.contains("restore a backup") }, "\(remaining)")
    }

    @Test("Rows that make up for each other are no damage")
    func sums() async throws {
        let database = try TestDatabase()
        _ = try database.node().record([database.delivery(id: "a")])
        try database.sql(
            """
            INSERT INTO skan.delivery VALUES
                (7, 'duplicate', 'test', '', 'network', -1, -1), (7, 'duplicate', 'test', '', 'network', 1, 1)
            """)
        #expect(try await database.differences() == [])
    }
}
