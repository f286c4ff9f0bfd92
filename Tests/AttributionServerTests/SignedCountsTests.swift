import Attribution
import AttributionConsole
import AttributionListener
import AttributionServer
import AttributionSigning
import AttributionStore
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@Suite("Counting signed ads", .timeLimit(.minutes(2)))
struct SignedCountsTests {
    /// A store that fails a number of times, also where it has added the lines.
    private final class UnreliableStore: AdCostWriting {
        struct Failed: Error {}

        private let state: Mutex<(failures: Int, calls: [[SignedImpressionCount]])>

        init(failures: Int) {
            state = Mutex((failures, []))
        }

        var calls: [[SignedImpressionCount]] {
            state.withLock(\.calls)
        }

        func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> Int {
            try state.withLock { state in
                state.calls.append(counts)
                state.failures -= 1
                guard state.failures < 0 else {
                    throw Failed()
                }
                return counts.count
            }
        }

        func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
            SpendRecording()
        }
    }

    /// Signs an ad for each of some apps.
    static func sign(_ apps: [Int], _ counts: SignedCounts) throws {
        let service = SigningService(
            signer: CurrentSigner(try SigningKeys().signer), access: nil, counts: counts, logger: .silent,
            metricsFactory: PrometheusMetrics())
        let requests = try apps.map { app in
            try SigningServiceTests.request(
                "/v1/impressions",
                SigningServiceTests.order.replacing("\"itunes-item-id\": 1,", with: "\"itunes-item-id\": \(app),"))
        }
        #expect(SigningServiceTests.answers(service, to: requests).map(\.status) == apps.map { _ in 200 })
    }

    @Test("A sum is written whole under one number until it is known to be added, and when it has grown")
    func again() throws {
        let store = UnreliableStore(failures: 2)
        let log = LinesOfLog()
        let counts = SignedCounts(.store(store), at: .now, logger: log.logger)
        try Self.sign([1, 2, 1], counts)
        #expect(!counts.write())
        #expect(!counts.write())
        try Self.sign([1], counts)
        #expect(counts.write())
        #expect(counts.write())
        try Self.sign([2, 3], counts)
        #expect(counts.write())
        let calls = store.calls
        try #require(calls.count == 4)
        #expect(calls[0] == calls[1])
        // An ad counts once, in all its forms.
        let signed = calls.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.campaign.app.value, $0.signed) }) }
        #expect(signed[1...] == [[1: 2, 2: 1], [1: 3, 2: 1], [2: 2, 3: 1]])
        let numbers = Set(calls.joined().map { [$0.campaign.app.value, $0.sequence] })
        #expect(numbers == [[1, 1], [2, 2], [3, 3]])
        #expect(Set(calls.joined().map(\.writer)).count == 1)
        #expect(log.lines.contains { $0.contains("signed impressions could not be written") })
    }

    @Test("Sums are written when a minute has passed, and not before")
    func minute() throws {
        let store = UnreliableStore(failures: 0)
        let start = ContinuousClock.now
        let counts = SignedCounts(.store(store), at: start, logger: LinesOfLog().logger)
        try Self.sign([1], counts)
        counts.heartbeat(at: start + .seconds(59))
        #expect(store.calls.isEmpty)
        counts.heartbeat(at: start + .seconds(60))
        counts.heartbeat(at: start + .seconds(61))
        #expect(store.calls.count == 1)
    }
}
