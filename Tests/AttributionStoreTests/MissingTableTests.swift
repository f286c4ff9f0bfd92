import Attribution
import AttributionSigning
import AttributionStore
import SQLiteStore
import Testing

@Suite("Tables that were deleted from a store")
struct MissingTableTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private func delivery(_ id: String) throws -> Delivery {
        try postbacks.delivery(postbacks.draft(id: id))
    }

    @Test(
        "A store without one of its tables is damaged: nothing is recorded in it",
        arguments: ["owner", "own_network", "postback", "postback_body", "quarantine", "known_id"])
    func refused(_ table: String) throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record([delivery("a")])
        try ledger.close()
        try SQLite.execute("DROP TABLE \(table)", store.path)
        #expect(throws: StoreError.failed(path: ledger.writer.path, .damaged)) {
            try SQLiteLedgerWriter(path: store.path)
        }
    }

    @Test("What needs a table that is deleted under an owner fails, until a repair makes it again")
    func deletedUnderOwner() async throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record([delivery("a")])
        try SQLite.execute("DROP TABLE delivery", store.path)
        #expect(throws: StoreError.failed(path: ledger.writer.path, .damaged)) { try ledger.record([delivery("b")]) }
        #expect(ledger.writer.health == StoreHealth(.damaged))
        ledger.writer.heartbeat()
        #expect(ledger.writer.health == StoreHealth(.damaged))
        #expect(try await ledger.repair(postbacks.verifier).isWhole)
        #expect(try ledger.record([delivery("b")]) == [.recorded(.test)])
        #expect(ledger.writer.health == .ready)
    }
}
