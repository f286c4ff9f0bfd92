import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import Testing

@Suite("Tables that were deleted from a store")
struct MissingTableTests {
    let store: TemporaryStore
    let postbacks: Postbacks
    private let count = 400

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record(try (0..<count).map { try postbacks.delivery(postbacks.draft(id: "\($0)")) })
        try ledger.close()
    }

    /// Deletes tables; their pages stay in the file.
    private func drop(_ tables: String...) throws {
        for table in tables {
            try SQLite.execute("PRAGMA secure_delete = OFF; DROP TABLE \(table)", store.path)
        }
    }

    private func repair() async throws -> RecountRepair {
        try await store.repair(by: postbacks.verifier)
    }

    private func answer() async throws -> LedgerAnswer {
        let reader = try SQLiteLedgerReader(store.path)
        defer { reader.close() }
        return try await reader.answer(LedgerQuestion(traffic: .test))
    }

    private func missing(_ table: String, isRecreated: Bool) throws -> StoreError {
        .missingTable(path: try SQLiteLedgerReader(store.path).path, table: table, isRecreated: isRecreated)
    }

    private func counted() throws -> String {
        try SQLite.query("SELECT * FROM delivery", store.path)
    }

    @Test(
        "Without counts or copies a report has its postbacks and says what is incomplete, and a repair makes them again",
        arguments: ["delivery", "repeat_delay", "recipient_copy"])
    func counts(_ table: String) async throws {
        let before = try counted()
        try drop(table)
        let damaged = try await answer()
        #expect(damaged.totals[.postbacks] == Int64(count) && damaged.deliveries.areIncomplete)
        let repair = try await repair()
        #expect(
            repair.found.differences.contains(
                .tables(table == "recipient_copy" ? .recipientCopies : .deliveryCounts)))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try counted() == before)
        #expect(try await !answer().deliveries.areIncomplete)
    }

    @Test("A missing table of rows is named, and a repair rebuilds every row")
    func rows() async throws {
        try drop("postback")
        let error = try missing("postback", isRecreated: true)
        await #expect(throws: error) { try await answer() }
        #expect(throws: error) { try SQLiteLedgerWriter(path: store.path) }
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.postbacks)))
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try await answer().totals[.postbacks] == Int64(count))
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([postbacks.delivery(postbacks.draft(id: "7"))]) == [.duplicate(.test)])
    }

    @Test("A missing table of bodies is named, and a repair puts back those that are found")
    func bodies() async throws {
        try drop("postback_body")
        let error = try missing("postback_body", isRecreated: true)
        await #expect(throws: error) { try await answer() }
        #expect(throws: error) { try SQLiteLedgerWriter(path: store.path) }
        let repair = try await repair()
        #expect(repair.found.differences.contains(.tables(.bodies)))
        let remaining = repair.remaining.differences.map(\.description)
        #expect(
            remaining.count < 20 && remaining.allSatisfy { $0.hasSuffix("cannot be read: its body is missing") },
            "\(remaining)")
        #expect(try await answer().totals[.postbacks] == Int64(count - remaining.count))
    }

    @Test("Without rows and bodies nothing is made again, and a server does not start on an empty store")
    func nothingLeft() async throws {
        let before = try counted()
        try drop("postback", "postback_body")
        for _ in 0..<2 {
            let remaining = try await repair().remaining.differences
            #expect(remaining.contains(.tables(.postbacks)) && remaining.contains(.tables(.bodies)))
        }
        #expect(try counted() == before)
        let error = try missing("postback", isRecreated: false)
        #expect(throws: error) { try SQLiteLedgerWriter(path: store.path) }
    }

    @Test("A missing table that nothing can make again is named by what reads it")
    func quarantine() async throws {
        try drop("quarantine")
        let error = try missing("quarantine", isRecreated: false)
        #expect(try await answer().totals[.postbacks] == Int64(count))
        await #expect(throws: error) { try await repair() }
        #expect(throws: error) { try SQLiteLedgerWriter(path: store.path) }
    }

    @Test(
        "A table of columns that is deleted under a server is named once, and keeps no postback from being recorded",
        arguments: ["column_block", "column_value"])
    func columnsUnderServer(_ table: String) async throws {
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        try drop(table)
        let many = try ManyPostbacks(2 * ManyPostbacks.block).deliveries
        for start in stride(from: 0, to: many.count, by: 1_000) {
            _ = try ledger.record(Array(many[start..<min(start + 1_000, many.count)]))
            #expect(ledger.writer.health == .ready)
        }
        #expect(
            events.messages == [
                "the table \(table) of \(ledger.writer.path) is missing; postbacks are still recorded; "
                    + "run: skan recount --store \(ledger.writer.path) --repair"
            ])
        let (one, other) = (postbacks.verifier, try ManyPostbacks.postbacks().verifier)
        let repair = try await ledger.writer.repair { bodies in
            zip(one.judge(bodies), other.judge(bodies)).map { if case .verified = $0 { $0 } else { $1 } }
        }
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(try await ledger.totals()[.postbacks] == Int64(count + many.count))
        try ledger.close()
    }
}
