import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON
import Testing

@Suite("The quarantine")
struct QuarantineTests {
    let store: TemporaryStore
    let postbacks: Postbacks

    init() throws {
        store = try TemporaryStore()
        postbacks = try Postbacks()
    }

    private func garbage(_ size: Int = 2, client: String? = nil, hour: Int64 = 0) -> Delivery {
        Delivery(
            judgement: .rejected(
                .malformed([]), body: Array("{}".utf8) + Array(repeating: 0x20, count: max(0, size - 2))),
            recipient: .network,
            receivedAtMilliseconds: Postbacks.noon + hour * 3_600_000, client: client)
    }

    private func forged(_ id: String, client: String? = nil) throws -> Delivery {
        let body = try postbacks.draft(id: id).body(
            signature: postbacks.standIn.sign(postbacks.draft(id: "x")).suffix(8))
        return Delivery(
            judgement: .rejected(.invalidSignature(keys: ["a key"]), body: body), recipient: .network,
            receivedAtMilliseconds: Postbacks.noon, client: client)
    }

    /// A postback with an unknown version, as the verifier judges it.
    private func future(_ id: String, client: String? = nil) throws -> Delivery {
        var draft = postbacks.draft(id: id)
        let signature = try ReceivedPostback(reading: postbacks.standIn.sign(draft)).signature
        draft[.version] = .string("5.0")
        return Delivery(
            judgement: postbacks.verifier.judge(draft.body(signature: signature)), recipient: .network,
            receivedAtMilliseconds: Postbacks.noon, client: client)
    }

    private func budgets(_ rows: Int64, total: Int64 = 1 << 30, shares: Int64 = 1) -> QuarantineBudgets {
        let each = QuarantineBudgets.Hourly(rows: rows, bytes: 1 << 20)
        return QuarantineBudgets(
            hourly: Dictionary(uniqueKeysWithValues: QuarantineClass.allCases.map { ($0, each) }), shares: shares,
            totalBytes: total)
    }

    @Test("Ten thousand bodies of garbage take no room from other classes, and the results say what is kept")
    func classes() async throws {
        let ledger = try OpenLedger(store.path, budgets: budgets(100))
        let answers = try ledger.record((0..<10_000).map { _ in garbage() })
        #expect(answers.filter { $0?.isKept == true }.count == 100)
        #expect(try ledger.record([future("f")])[0]?.isKept == true)
        #expect(try ledger.record([forged("g")])[0]?.isKept == true)
        let counts = try await ledger.deliveries()
        #expect(counts.quarantined(.malformed) == 10_000 && counts.notKept == 9_900)
        let totals = try await ledger.reader.quarantineTotals()
        #expect(Dictionary(uniqueKeysWithValues: totals.map { ($0.kind, $0.count) })[.garbage] == 100)
    }

    @Test("Each hour has a new budget, even after the clock was years ahead")
    func hours() throws {
        let ledger = try OpenLedger(store.path, budgets: budgets(2))
        for hour: Int64 in [0, 500_000, 1] {
            let kept = try ledger.record((0..<3).map { _ in garbage(hour: hour) }).map { $0?.isKept }
            #expect(kept == [true, true, false])
        }
    }

    @Test("Bodies of two hours that arrive interleaved share one budget")
    func turnOfTheHour() throws {
        let ledger = try OpenLedger(store.path, budgets: budgets(2))
        let kept = try ledger.record([1, 0, 1, 0, 1].map { garbage(hour: $0) }).map { $0?.isKept }
        #expect(kept == [true, true, false, false, false])
    }

    @Test("One client network gets only its share of an hour, also across a restart")
    func shares() throws {
        do {
            let ledger = try OpenLedger(store.path, budgets: budgets(8, shares: 4))
            let kept = try ledger.record((0..<5).map { _ in garbage(client: "192.0.2.1") }).map { $0?.isKept }
            #expect(kept == [true, true, false, false, false])
            try ledger.close()
        }
        let ledger = try OpenLedger(store.path, budgets: budgets(8, shares: 4))
        #expect(try ledger.record([garbage(client: "192.0.2.1")])[0]?.isKept == false)
        #expect(try ledger.record([garbage(client: "192.0.2.2")])[0]?.isKept == true)
    }

    @Test("At the total limit the oldest garbage is deleted first; possibly genuine bodies never are")
    func total() async throws {
        let ledger = try OpenLedger(store.path, budgets: budgets(1_000, total: 4_000))
        let first = try future("a")
        #expect(try ledger.record([first])[0]?.isKept == true)
        for _ in 0..<50 {
            #expect(try ledger.record([garbage(500)])[0]?.isKept == true)
        }
        var totals = try await ledger.reader.quarantineTotals()
        #expect(totals.reduce(0) { $0 + $1.bytes } <= 4_000)
        // Postbacks of the class future replace garbage until none is left.
        var kept = 1
        while try ledger.record([future("\(kept)")])[0] != nil {
            kept += 1
            try #require(kept < 100)
        }
        totals = try await ledger.reader.quarantineTotals()
        #expect(totals.first { $0.kind == .garbage }?.count == 0)
        #expect(totals.first { $0.kind == .future }?.count == Int64(kept))
        // One that cannot be kept is neither acknowledged nor counted.
        #expect(try await ledger.deliveries().quarantined(.unknownVersion) == Int64(kept))
    }

    @Test("A body that only claims an unknown version is garbage")
    func implausible() async throws {
        let ledger = try OpenLedger(store.path)
        let body = Array(#"{"version":"9.9"}"#.utf8)
        _ = try ledger.record([postbacks.delivery(body)])
        #expect(try await ledger.reader.quarantine(QuarantineQuery()).map(\.kind) == [.garbage])
    }

    @Test("At most eight contents that contradict a postback are kept; a repeated content counts as kept")
    func contents() async throws {
        let ledger = try OpenLedger(store.path)
        var draft = postbacks.draft(id: "a")
        let body = try postbacks.standIn.sign(draft)
        let signature = try ReceivedPostback(reading: body).signature
        let copies = (0..<12).map { value in
            draft[.conversionValue] = .integer(Int64(value))
            return postbacks.delivery(draft.body(signature: signature))
        }
        let answers = try ledger.record([postbacks.delivery(body)] + copies + [copies[0]])
        let conflicts = answers.dropFirst().map { $0 == .conflict(.test, isKept: true) }
        #expect(conflicts == Array(repeating: true, count: 8) + Array(repeating: false, count: 4) + [true])
        let kept = try await ledger.reader.quarantine(QuarantineQuery(kind: .conflict))
        #expect(kept.count == 8 && kept.allSatisfy { $0.postbackID == 1 })
    }

    @Test("Requeuing records what is genuine now and moves its counts; the rest stays")
    func requeue() async throws {
        let ledger = try OpenLedger(store.path)
        let stranger = try PostbackVerifier()
        let bodies = try ["a", "b"].map { try postbacks.standIn.sign(postbacks.draft(id: $0)) }
        let deliveries = (bodies + [bodies[0]]).map {
            Delivery(judgement: stranger.judge($0), recipient: .developer, receivedAtMilliseconds: Postbacks.noon)
        }
        _ = try ledger.record(deliveries + [garbage()])
        let before = try await ledger.deliveries()
        let verifier = postbacks.verifier
        let result = try ledger.writer.requeue(QuarantineQuery(limit: .max)) { verifier.judge($0) }
        #expect(result.judged == 4 && result.recorded == 2 && result.duplicate == 1 && result.stayed == 1)
        let after = try await ledger.deliveries()
        #expect(after.received == before.received && after.received(by: .developer) == 3)
        #expect(after.count(.recorded, .test) == 2 && after.count(.duplicate, .test) == 1)
        #expect(after.quarantined(.invalidSignature) == 0 && after.quarantined(.malformed) == 1)
        #expect(try await ledger.differences(verifier) == [])
        // The second time there is nothing to move.
        #expect(try ledger.writer.requeue(QuarantineQuery(limit: .max)) { verifier.judge($0) }.recorded == 0)
    }

    @Test("Requeued copies that contradict each other become one postback and a kept conflict")
    func requeueConflict() async throws {
        let ledger = try OpenLedger(store.path)
        let stranger = try PostbackVerifier()
        var draft = postbacks.draft(id: "a")
        let body = try postbacks.standIn.sign(draft)
        draft[.conversionValue] = .integer(9)
        let other = draft.body(signature: try ReceivedPostback(reading: body).signature)
        _ = try ledger.record(
            [body, other].map {
                Delivery(judgement: stranger.judge($0), recipient: .network, receivedAtMilliseconds: Postbacks.noon)
            })
        let verifier = postbacks.verifier
        // One copy of a recorded postback, and one in the same transaction as its first copy.
        _ = try ledger.record([postbacks.delivery(postbacks.standIn.sign(postbacks.draft(id: "b")))])
        let result = try ledger.writer.requeue(QuarantineQuery(limit: .max)) { verifier.judge($0) }
        #expect(result.judged == 2 && result.recorded == 1 && result.conflict == 1)
        let counts = try await ledger.deliveries()
        #expect(counts.count(.recorded, .test) == 2 && counts.count(.conflict, .test) == 1)
        #expect(counts.quarantined == 0 && counts.notKept == 0 && counts.received == 3)
        let kept = try await ledger.reader.quarantine(QuarantineQuery(kind: .conflict))
        #expect(kept.map(\.body) == [other] && kept.map(\.postbackID) == [2])
        #expect(try await ledger.differences(verifier) == [])
        #expect(try ledger.record([postbacks.delivery(other)]) == [.conflict(.test)])
    }

    @Test("Deliveries are found and deleted by class, reason, id and time, page by page")
    func queries() async throws {
        let ledger = try OpenLedger(store.path)
        _ = try ledger.record([garbage(), try forged("a"), garbage(hour: 2), try future("b")])
        let reader = ledger.reader
        #expect(try await reader.quarantine(QuarantineQuery(kind: .garbage)).map(\.id) == [1, 3])
        #expect(try await reader.quarantine(QuarantineQuery(reason: "invalid-signature")).map(\.id) == [2])
        #expect(try await reader.quarantine(QuarantineQuery(after: 2, limit: 1)).map(\.id) == [3])
        #expect(try await reader.quarantine(QuarantineQuery(id: 4)).map(\.reason) == ["unknown-version"])
        #expect(try ledger.writer.prune(QuarantineQuery(kind: .garbage, before: Postbacks.noon + 1, limit: .max)) == 1)
        #expect(try await reader.quarantine(QuarantineQuery()).map(\.id) == [2, 3, 4])
        #expect(try ledger.writer.prune(QuarantineQuery(limit: .max)) == 3)
        #expect(try await reader.quarantineTotals().allSatisfy { $0.count == 0 && $0.bytes == 0 })
        #expect(try await ledger.differences(postbacks.verifier) == [])
    }

    @Test(
        "Events that an operator must look into are errors",
        arguments: [
            (StoreEvent.notKept(.garbage, count: 3), true), (.fenced(path: "s"), true),
            (.checkpointFailed(path: "s", reason: "r"), true), (.indexRebuilt(path: "s", rows: 1), false),
        ])
    func events(_ event: StoreEvent, _ isError: Bool) {
        #expect(event.isError == isError)
    }

    @Test("The message for a foreign database names no release")
    func foreign() {
        #expect(!StoreError.foreignDatabase(path: "s").description.contains("0.2"))
    }
}
