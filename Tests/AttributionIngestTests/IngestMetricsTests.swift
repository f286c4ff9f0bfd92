import Attribution
import AttributionHarness
import AttributionIngest
import AttributionSigning
import AttributionStore
import Foundation
import MetricsTestKit
import SQLiteStore
import TestSupport
import Testing

@Suite("Metrics of ingesting")
struct IngestMetricsTests {
    let path = NSTemporaryDirectory() + "skan-ingest-\(UUID().uuidString).sqlite"
    let metrics = TestMetrics()

    private func removeStore() {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private func ingestor(_ limits: BatchLimits = .postbacks) throws -> Ingestor {
        Ingestor(
            verifier: try PostbackVerifier(testKeys: AppleStandIn().publicKeys()),
            ledger: try SQLiteLedgerWriter(path: path), limits: limits, logger: .silent, metricsFactory: metrics)
    }

    /// Bodies, and the labels under which each is counted, in order.
    private static func deliveries() throws -> [(body: [UInt8], labels: [String: String])] {
        let texts = Dictionary(
            uniqueKeysWithValues: try AppleSignedPostback.all().map {
                ($0.name, String(decoding: $0.body, as: UTF8.self))
            })
        let genuine = try #require(texts["skan-3.0-win"])
        let development = try #require(texts["aak-development-reengagement"])
        func changed(_ text: String, _ replacement: String) -> String {
            genuine.replacingOccurrences(of: text, with: replacement, options: .regularExpression)
        }
        let rows: [(String, String, String, String)] = [
            (genuine, "recorded", "", "apple"),
            (genuine, "duplicate", "", "apple"),
            (genuine, "duplicate", "", "apple"),
            (changed(#""conversion-value" *: *[0-9]+"#, #""conversion-value":63"#), "conflict", "", "apple"),
            (development, "recorded", "", "development"),
            (changed("525463029", "525463030"), "quarantined", "invalid-signature", ""),
            (changed(#""3\.0""#, #""9.0""#), "quarantined", "unknown-version", ""),
            ("{}", "quarantined", "malformed", ""),
        ]
        return rows.map { (Array($0.utf8), ["status": $1, "reason": $2, "provenance": $3]) }
    }

    /// Every counter of deliveries that is not 0.
    private func counted() -> [[String: String]: Int64] {
        let counters = metrics.counters(label: "skan_deliveries_total").filter { $0.totalValue > 0 }
        return Dictionary(
            uniqueKeysWithValues: counters.map {
                (Dictionary(uniqueKeysWithValues: $0.dimensions), $0.totalValue)
            })
    }

    @Test("Deliveries are counted by status, reason and provenance, before they are answered")
    func labels() async throws {
        defer { removeStore() }
        let ingestor = try ingestor()
        async let running: Void = ingestor.run()
        var expected: [[String: String]: Int64] = [:]
        for (body, labels) in try Self.deliveries() {
            _ = await ingestor.ingest(body, recipient: .network, receivedAtMilliseconds: 1_795_262_400_000)
            expected[labels, default: 0] += 1
            #expect(counted() == expected)
        }
        ingestor.close()
        try await running
    }

    @Test("A batch of mixed kinds is counted correctly")
    func batch() async throws {
        defer { removeStore() }
        let ingestor = try ingestor()
        var expected: [[String: String]: Int64] = [:]
        // Submitted before run(), so that they are one batch; the first of each pair is followed by another kind.
        for (body, labels) in try Self.deliveries() {
            ingestor.submit(body, recipient: .network, receivedAtMilliseconds: 1_795_262_400_000) { _ in }
            expected[labels, default: 0] += 1
        }
        ingestor.close()
        try await ingestor.run()
        #expect(counted() == expected)
        #expect(try metrics.expectTimer("skan_ingest_commit_seconds").values.count == 1)
        // Of all these only one is a production postback that was recorded.
        let apps = metrics.counters(label: "skan_app_postbacks_total")
        #expect(apps.map(\.totalValue) == [1])
        #expect(
            apps.first.map { Dictionary(uniqueKeysWithValues: $0.dimensions) }
                == ["app": "525463029", "conversion": "fine"])
    }

    @Test(
        "The time to the commit is measured once per batch, and the queue depth is the number of waiting bodies",
        arguments: [(0, 0), (1, 1), (2, 1), (3, 2), (5, 3), (6, 3)])
    func batches(_ bodies: Int, _ batches: Int) async throws {
        defer { removeStore() }
        let ingestor = try ingestor(BatchLimits(queued: 6, batch: 2))
        for _ in 0..<bodies {
            ingestor.submit(Array("{}".utf8), recipient: .network, receivedAtMilliseconds: 0) { _ in }
        }
        #expect(ingestor.queueDepth == bodies)
        ingestor.close()
        try await ingestor.run()
        #expect(ingestor.queueDepth == 0)
        let times = try metrics.expectTimer("skan_ingest_commit_seconds").values
        #expect(times.count == batches)
        #expect(times.allSatisfy { $0 > 0 })
    }

    @Test("Deliveries that are refused or not committed are neither counted nor timed")
    func uncommitted() async throws {
        defer { removeStore() }
        let ledger = try SQLiteLedgerWriter(path: path)
        let ingestor = Ingestor(
            verifier: try PostbackVerifier(), ledger: ledger, logger: .silent, metricsFactory: metrics)
        async let running: Void = ingestor.run()
        _ = await ingestor.ingest(Array("[]".utf8), recipient: .network, receivedAtMilliseconds: 0)
        try ledger.close()
        _ = await ingestor.ingest(Array("{}".utf8), recipient: .network, receivedAtMilliseconds: 0)
        ingestor.close()
        try await running
        #expect(counted().isEmpty)
        #expect(try metrics.expectTimer("skan_ingest_commit_seconds").values.isEmpty)
    }
}
