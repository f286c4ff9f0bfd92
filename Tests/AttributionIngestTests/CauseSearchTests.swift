import Attribution
import AttributionExplaining
import AttributionHarness
import AttributionIngest
import AttributionSigning
import AttributionStore
import Foundation
import MetricsTestKit
import SQLiteStore
import TestSupport
import Testing

@Suite("Causes for answers, within a budget")
struct CauseSearchTests {
    let path = NSTemporaryDirectory() + "skan-ingest-\(UUID().uuidString).sqlite"
    let standIn: AppleStandIn
    let verifier: PostbackVerifier
    let metrics = TestMetrics()

    init() throws {
        standIn = try AppleStandIn()
        verifier = try PostbackVerifier(testKeys: standIn.publicKeys())
        try verifier.prepareTables()
    }

    private func body(_ trigger: DeliveryTrigger) throws -> [UInt8] {
        try trigger.body(by: standIn, id: "6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")
    }

    private func removeStore() {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private func counted(_ outcome: CauseSearch.Outcome) -> Int64? {
        metrics.counters(label: "skan_delivery_causes_total")
            .first { $0.dimensions.contains { $0 == ("outcome", outcome.rawValue) } }?.totalValue
    }

    @Test("A flood gets a hundred causes a second and eight in a batch, and each answer without one is counted")
    func budget() throws {
        var search = CauseSearch(PostbackExplainer(verifier: verifier), factory: metrics)
        let rejected = PostbackRejection.invalidSignature(keys: [])
        let body = try body(.zeroFilled)
        let delivery = Delivery(
            judgement: .rejected(rejected, body: body), recipient: .network, receivedAtMilliseconds: 0)
        let flood = Array(repeating: delivery, count: 1_000)
        let recordings = Array(repeating: Recording.quarantined(rejected) as Recording?, count: flood.count)
        let start = ContinuousClock.now
        var proven = 0
        for second in 0..<3 {
            var ofSecond = 0
            for batch in 0..<20 {
                let now = start + .seconds(second) + .milliseconds(batch * 40)
                let causes = search.causes(of: flood, recordings, at: now)
                #expect(causes.count <= CauseSearch.perBatch)
                #expect(causes.values.allSatisfy { $0.cause == .zeroFilled && $0.field == "source-app-id" })
                ofSecond += causes.count
            }
            #expect(ofSecond == CauseSearch.perSecond)
            proven += ofSecond
        }
        #expect(counted(.proven) == Int64(proven))
        #expect(counted(.skipped) == Int64(60 * flood.count - proven))
        #expect(counted(.unproven) == 0)
    }

    @Test("Bodies too long to be looked at take nothing from the budget of others")
    func longBodies() throws {
        var search = CauseSearch(PostbackExplainer(verifier: verifier), factory: metrics)
        let rejected = PostbackRejection.invalidSignature(keys: [])
        let body = try body(.zeroFilled)
        let long = body + Array(repeating: UInt8(ascii: " "), count: PostbackExplainer.maximumCheapLength)
        func causes(of body: [UInt8], count: Int) -> Int {
            let delivery = Delivery(
                judgement: .rejected(rejected, body: body), recipient: .network, receivedAtMilliseconds: 0)
            return search.causes(
                of: Array(repeating: delivery, count: count),
                Array(repeating: .quarantined(rejected), count: count), at: start
            ).count
        }
        let start = ContinuousClock.now
        #expect(causes(of: long, count: 1_000) == 0)
        #expect(causes(of: body, count: 1) == 1)
    }

    @Test("Only signatures that do not verify are looked at, and causes belong to their deliveries")
    func others() throws {
        var search = CauseSearch(PostbackExplainer(verifier: verifier), factory: metrics)
        let triggers: [DeliveryTrigger] = [
            .install, .malformed, .zeroFilled, .unknownVersion, .wrongKey, .tampered, .zeroFilled, .loss,
        ]
        let deliveries = try triggers.map {
            Delivery(judgement: verifier.judge(try body($0)), recipient: .network, receivedAtMilliseconds: 0)
        }
        let recordings = deliveries.map { delivery -> Recording? in
            if case .rejected(let rejection, _) = delivery.judgement { .quarantined(rejection) } else { nil }
        }
        let causes = search.causes(of: deliveries, recordings, at: .now)
        #expect(causes.keys.sorted() == [2, 6])
        #expect(counted(.proven) == 2 && counted(.unproven) == 2 && counted(.skipped) == 0)
        // What could not be recorded is answered by that alone.
        let unrecorded = [Recording?](repeating: nil, count: deliveries.count)
        #expect(search.causes(of: deliveries, unrecorded, at: .now).isEmpty)
    }

    @Test("Without tables nothing is looked at")
    func withoutTables() throws {
        let slow = try PostbackVerifier(testKeys: standIn.publicKeys())
        var search = CauseSearch(PostbackExplainer(verifier: slow), factory: metrics)
        let judgement = slow.judge(try body(.zeroFilled))
        guard case .rejected(let rejection, _) = judgement else {
            Issue.record("not rejected")
            return
        }
        let delivery = Delivery(judgement: judgement, recipient: .network, receivedAtMilliseconds: 0)
        #expect(search.causes(of: [delivery], [.quarantined(rejection)], at: .now).isEmpty)
        #expect(counted(.skipped) == 1)
    }

    // MARK: The ingestor

    /// What an ingestor answers to bodies that came together, and what its store counts.
    private func answers(
        to bodies: [[UInt8]], explainer: PostbackExplainer?
    ) async throws -> (outcomes: [IngestOutcome], received: Int64) {
        defer { removeStore() }
        let ledger = try SQLiteLedgerWriter(path: path)
        let ingestor = Ingestor(
            verifier: verifier, ledger: ledger, explainer: explainer, logger: .silent, metricsFactory: metrics)
        let (stream, answered) = AsyncStream<(Int, IngestOutcome)>.makeStream()
        // Submitted before run(), so that they are one batch.
        for (index, body) in bodies.enumerated() {
            ingestor.submit(body, recipient: .network, receivedAtMilliseconds: 1_795_262_400_000) {
                answered.yield((index, $0))
            }
        }
        ingestor.close()
        try await ingestor.run()
        answered.finish()
        var outcomes: [(Int, IngestOutcome)] = []
        for await outcome in stream {
            outcomes.append(outcome)
        }
        let received = try await SQLiteLedgerReader(path).answer(LedgerQuestion()).deliveries.received
        try ledger.close()
        return (outcomes.sorted { $0.0 < $1.0 }.map(\.1), Int64(received))
    }

    @Test("An answer has the cause of its own delivery; what is recorded is the same without")
    func ingested() async throws {
        let triggers: [DeliveryTrigger] = [.install, .notJSON, .zeroFilled, .wrongKey, .malformed, .zeroFilled, .loss]
        let bodies = try triggers.map { try body($0) }
        let plain = try await answers(to: bodies, explainer: nil)
        let explained = try await answers(to: bodies, explainer: PostbackExplainer(verifier: verifier))
        func recordings(_ outcomes: [IngestOutcome]) -> [Recording?] {
            outcomes.map { if case .durable(let recording, _) = $0 { recording } else { nil } }
        }
        func causes(_ outcomes: [IngestOutcome]) -> [ExplanationCause?] {
            outcomes.map { if case .durable(_, let cause) = $0 { cause?.cause } else { nil } }
        }
        #expect(recordings(plain.outcomes) == recordings(explained.outcomes))
        #expect(plain.outcomes.count == bodies.count && plain.received == explained.received)
        #expect(causes(plain.outcomes).allSatisfy { $0 == nil })
        #expect(causes(explained.outcomes) == [nil, nil, .zeroFilled, nil, nil, .zeroFilled, nil])
    }

    @Test("A body that is no object is refused, with the path of a genuine postback inside it")
    func refused() async throws {
        let genuine = String(decoding: try body(.install), as: UTF8.self)
        let forged = String(decoding: try body(.tampered), as: UTF8.self)
        let rows: [(String, field: String?, isWrapped: Bool)] = [
            ("[\(genuine)]", "[0]", true), ("[{\"body\":\(genuine)}]", "[0].body", true),
            (Data(genuine.utf8).base64EncodedString(), nil, true), ("[\(forged)]", nil, false),
        ]
        let answers = try await answers(
            to: rows.map { Array($0.0.utf8) }, explainer: PostbackExplainer(verifier: verifier))
        for (row, outcome) in zip(rows, answers.outcomes) {
            guard case .refused(_, let cause) = outcome else {
                Issue.record("answered \(outcome)")
                continue
            }
            #expect((cause?.cause == .wrapped) == row.isWrapped && cause?.field == row.field, "\(row.0)")
        }
        #expect(answers.received == 0 && counted(.proven) == 3 && counted(.unproven) == 1)
    }

    @Test("A flood in one batch is answered as before, eight of it with the cause")
    func flood() async throws {
        let body = try body(.zeroFilled)
        let explained = try await answers(
            to: Array(repeating: body, count: 500), explainer: PostbackExplainer(verifier: verifier))
        var causes = 0
        for outcome in explained.outcomes {
            guard case .durable(.quarantined(.invalidSignature, _), let cause) = outcome else {
                Issue.record("answered \(outcome)")
                continue
            }
            causes += cause == nil ? 0 : 1
        }
        #expect(explained.received == 500 && causes == CauseSearch.perBatch)
    }
}
