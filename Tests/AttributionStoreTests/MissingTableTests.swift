import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
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
        "A missing table of counts or copies is named by a report, and a repair makes it again",
        arguments: ["delivery", "repeat_delay", "recipient_copy"])
    func counts(_ table: String) async throws {
        let before = try counted()
        try drop(table)
        let error = try missing(table, isRecreated: true)
        await #expect(throws: error) { try await answer() }
        #expect(try await repair().remaining.differences.map(\.description) == [])
        #expect(try counted() == before)
        #expect(try await answer().totals[.postbacks] == Int64(count))
    }

    @Test("A missing table of postbacks is named, and no repair makes it again", arguments: ["postback", "postback_body"])
    func postbackTables(_ table: String) async throws {
        let before = try counted()
        try drop(table)
        let error = try missing(table, isRecreated: false)
        await #expect(throws: error) { try await answer() }
        #expect(throws: error) { try SQLiteLedgerWriter(path: store.path) }
        await #expect(throws: error) { try await repair() }
        #expect(try counted() == before)
    }

    @Test("A missing table that nothing can make again is named by what reads it")
    func owner() async throws {
        try drop("owner")
        let error = try missing("owner", isRecreated: false)
        await #expect(throws: error) { try await answer() }
        await #expect(throws: error) { try await SQLiteLedgerReader(store.path).checkTables() }
    }

    @Test("Tables that an owner makes at its start keep no server from starting", arguments: madeByOwner)
    func checked(_ table: String) async throws {
        try drop(table)
        try await SQLiteLedgerReader(store.path).checkTables()
        try SQLiteLedgerWriter(path: store.path).close()
    }

    static let madeByOwner = [
        "column_block", "column_value", "quarantine_total", "delivery", "repeat_delay", "recipient_copy",
    ]

    /// A body that is no postback.
    private var garbage: Delivery {
        postbacks.delivery(Array("{}".utf8))
    }

    /// A postback of a version that is not known yet.
    private func future(_ id: String) throws -> Delivery {
        var draft = postbacks.draft(id: id)
        let signature = try ReceivedPostback(reading: postbacks.standIn.sign(draft)).signature
        draft[.version] = .string("5.0")
        return postbacks.delivery(draft.body(signature: signature))
    }

    /// A copy of a postback that differs where Apple does not sign it.
    private func contradicting(_ id: String) throws -> Delivery {
        var draft = postbacks.draft(id: id)
        draft[.conversionValue] = .integer(9)
        return try postbacks.delivery(draft)
    }

    private func isKept(_ recording: Recording?) -> Bool? {
        guard case .quarantined(_, let isKept)? = recording else {
            return nil
        }
        return isKept
    }

    @Test("A missing quarantine is named, and a repair makes it again, empty")
    func quarantine() async throws {
        do {
            let ledger = try OpenLedger(store.path)
            #expect(try ledger.record([garbage, garbage]).map(isKept) == [true, true])
            try ledger.close()
        }
        try drop("quarantine")
        let error = try missing("quarantine", isRecreated: true)
        #expect(try await answer().totals[.postbacks] == Int64(count))
        await #expect(throws: error) { try await SQLiteLedgerReader(store.path).checkTables() }
        #expect(throws: error) { try SQLiteLedgerWriter(path: store.path) }
        #expect(try await repair().remaining.differences.map(\.description) == [])
        let ledger = try OpenLedger(store.path)
        #expect(try await ledger.reader.quarantineTotals().allSatisfy { $0.count == 0 && $0.bytes == 0 })
        #expect(try ledger.record([garbage]).map(isKept) == [true])
        #expect(try await ledger.deliveries().quarantined == 3)
        // An id of a body that is gone would be taken for it by a copy of the store.
        #expect(try await ledger.reader.quarantine(QuarantineQuery()).allSatisfy { $0.id > 2 })
        try ledger.close()
    }

    @Test("Without quarantine and totals a repair makes both again")
    func quarantineAndTotals() async throws {
        try drop("quarantine", "quarantine_total")
        let error = try missing("quarantine", isRecreated: true)
        #expect(throws: error) { try SQLiteLedgerWriter(path: store.path) }
        #expect(try await repair().remaining.differences.map(\.description) == [])
        let ledger = try OpenLedger(store.path)
        #expect(try ledger.record([garbage]).map(isKept) == [true])
        #expect(try await ledger.reader.quarantineTotals().map(\.count) == [1])
    }

    @Test("While the quarantine is missing, postbacks are recorded, and nothing else is answered as kept")
    func quarantineUnderServer() async throws {
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        #expect(try ledger.record([garbage]).map(isKept) == [true])
        try drop("quarantine")
        for id in ["new", "newer"] {
            let answers = try ledger.record([
                garbage, postbacks.delivery(postbacks.draft(id: id)), future("f"), contradicting("3"),
                postbacks.delivery(postbacks.draft(id: "4")), garbage,
            ])
            #expect(answers.map(isKept) == [false, nil, nil, nil, nil, false])
            #expect(answers[1] == .recorded(.test) && answers[4] == .duplicate(.test))
            // They have to come again.
            #expect(answers[2] == nil && answers[3] == nil)
            ledger.writer.heartbeat()
            #expect(ledger.writer.health == .ready)
        }
        let path = ledger.writer.path
        #expect(
            events.messages == [
                "the table quarantine of \(path) is missing; postbacks are still recorded, but no other bodies are "
                    + "kept; run: skan recount --store \(path) --repair"
            ])
        #expect(ledger.writer.remarks.map { $0.hasPrefix("the table quarantine is missing; ") } == [true])
        #expect(throws: try missing("quarantine", isRecreated: true)) { try ledger.writer.prune(QuarantineQuery()) }
        let verifier = postbacks.verifier
        await #expect(throws: try missing("quarantine", isRecreated: true)) {
            try await ledger.recount(verifier)
        }
        let repair = try await ledger.writer.repair { verifier.judge($0) }
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(ledger.writer.remarks == [] && events.messages.count == 1)
        #expect(try ledger.record([garbage]).map(isKept) == [true])
        #expect(try ledger.record([contradicting("3")]) == [.conflict(.test, isKept: true)])
        #expect(try ledger.record([future("f")]).map(isKept) == [true])
        #expect(try await ledger.reader.quarantineTotals().map(\.count).reduce(0, +) == 3)
        #expect(try await ledger.totals()[.postbacks] == Int64(count + 2))
        #expect(try await ledger.deliveries().notKept == 4)
        try ledger.close()
    }

    @Test(
        "Counts that are deleted under a server are named, cost no postback and no body, and a repair makes them again",
        arguments: ["delivery", "repeat_delay", "recipient_copy", "quarantine_total"])
    func countsUnderServer(_ table: String) async throws {
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        #expect(try ledger.record([garbage]).map(isKept) == [true])
        try drop(table)
        let copy = Delivery(
            judgement: try postbacks.delivery(postbacks.draft(id: "5")).judgement, recipient: .developer,
            receivedAtMilliseconds: Postbacks.noon + 1)
        for id in ["new", "newer"] {
            let (known, new) = (postbacks.draft(id: "3"), postbacks.draft(id: id))
            let answers = try ledger.record([postbacks.delivery(known), copy, postbacks.delivery(new), garbage])
            #expect(answers.prefix(3) == [.duplicate(.test), .duplicate(.test), .recorded(.test)])
            #expect(isKept(answers[3]) == true)
            ledger.writer.heartbeat()
            #expect(ledger.writer.health == .ready)
        }
        #expect(events.messages.count == 1, "\(events.messages)")
        let path = ledger.writer.path
        #expect(events.messages.allSatisfy { $0.hasPrefix("the table \(table) of \(path) is missing; postbacks are") })
        #expect(events.messages.allSatisfy { $0.hasSuffix("; run: skan recount --store \(path) --repair") })
        #expect(ledger.writer.remarks.map { $0.hasPrefix("the table \(table) is missing; ") } == [true])
        let verifier = postbacks.verifier
        let repair = try await ledger.writer.repair { verifier.judge($0) }
        #expect(repair.remaining.differences.map(\.description) == [])
        #expect(ledger.writer.remarks == [])
        #expect(try await ledger.reader.quarantineTotals().map(\.count) == [3])
        let answer = try await answer()
        #expect(answer.totals[.postbacks] == Int64(count + 2))
        #expect(answer.deliveries.count(.recorded, .test) == Int64(count + 2))
        try ledger.close()
        #expect(events.messages.count == 1, "\(events.messages)")
    }

    @Test("All of them deleted at once under a server cost no postback")
    func manyUnderServer() async throws {
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        let tables = ["quarantine", "quarantine_total", "delivery", "repeat_delay"]
        for table in tables {
            try drop(table)
        }
        let answers = try ledger.record([garbage, postbacks.delivery(postbacks.draft(id: "new"))])
        #expect(answers.map(isKept) == [false, nil] && answers[1] == .recorded(.test))
        #expect(events.messages.count == tables.count, "\(events.messages)")
        let verifier = postbacks.verifier
        #expect(try await ledger.writer.repair { verifier.judge($0) }.remaining.differences.map(\.description) == [])
        #expect(try ledger.record([garbage]).map(isKept) == [true])
        #expect(try await ledger.totals()[.postbacks] == Int64(count + 1))
    }

    @Test("A table that recording needs, deleted under a server, makes it not ready and is named", arguments: needed)
    func neededUnderServer(_ table: String, _ isSeenByHeartbeat: Bool) throws {
        let events = Events()
        let ledger = try OpenLedger(store.path, onEvent: events.note)
        try drop(table)
        if isSeenByHeartbeat {
            ledger.writer.heartbeat()
        } else {
            #expect(throws: StoreError.self) { try ledger.record([postbacks.delivery(postbacks.draft(id: "new"))]) }
        }
        for _ in 0..<2 {
            #expect(ledger.writer.health.reason?.hasPrefix("the table \(table) is missing; nothing") == true)
            ledger.writer.heartbeat()
        }
        #expect(events.messages.count == 1, "\(events.messages)")
    }

    static let needed = [
        ("postback_body", true), ("postback_body", false), ("postback", true), ("owner", true), ("owner", false),
    ]

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
