import Attribution
import AttributionSigning
import AttributionStore
import SQLiteStore
import Testing

@Suite("Counts of deliveries that contradict rows in no block of columns")
struct ContradictedCountTests {
    private let postbacks: Postbacks
    private let store: TemporaryStore

    init() throws {
        postbacks = try Postbacks()
        store = try TemporaryStore()
    }

    /// Records postbacks, one in each of the hours after noon or all in the first.
    private func fill(hours: Int64 = 1) throws {
        let ledger = try OpenLedger(store.path)
        for number in 0..<9 {
            let delivery = try postbacks.delivery(
                postbacks.draft(id: "\(number)"), at: Postbacks.noon + Int64(number) % hours * 3_600_000)
            _ = try ledger.record([delivery, delivery])
        }
        try ledger.close()
    }

    private func contents() throws -> [String] {
        try [
            "SELECT id, received_at, traffic, recipient FROM postback ORDER BY id",
            "SELECT * FROM delivery ORDER BY quarter, status, traffic, reason, recipient",
        ].map { try SQLite.query($0, store.path) }
    }

    @Test(
        "A recipient that the counts contradict is named, and row and counts stay",
        arguments: [false, true])
    func recipient(_ areRepeatsDamaged: Bool) async throws {
        try fill()
        try SQLite.execute("UPDATE postback SET recipient = 'developer' WHERE id = 3", store.path)
        let before = try contents()
        if areRepeatsDamaged {
            try SQLite.garbleRoot("repeat_delay", store.path)
        }
        for _ in 0..<2 {
            let remaining = try await store.repair(by: postbacks.verifier).remaining.differences
            #expect(remaining.count == 3 && remaining.contains(.countedElsewhere(1)), "\(remaining)")
            #expect(try contents() == before)
        }
    }

    @Test("A row whose recipient is contradicted keeps no other count from being repaired")
    func otherQuarter() async throws {
        try fill(hours: 9)
        let before = try contents()
        try SQLite.execute(
            """
            UPDATE postback SET recipient = 'developer' WHERE id = 3;
            UPDATE delivery SET count = 0 WHERE quarter = (SELECT received_at / 900000 FROM postback WHERE id = 5)
                AND status = 'recorded'
            """, store.path)
        #expect(try await store.repair(by: postbacks.verifier).remaining.differenceCount == 3)
        #expect(try contents()[1] == before[1])
    }

    @Test("Differences of counts are in the order of their times")
    func order() async throws {
        try fill(hours: 9)
        try SQLite.execute("DELETE FROM delivery", store.path)
        let ledger = try SQLiteLedgerReader(store.path)
        defer { ledger.close() }
        let verifier = postbacks.verifier
        let quarters = try await ledger.recount { verifier.judge($0) }.differences.compactMap { difference in
            if case .deliveries(let quarter, _, _, _, _) = difference { quarter } else { nil }
        }
        #expect(quarters.count == 9 && quarters == quarters.sorted())
    }
}
