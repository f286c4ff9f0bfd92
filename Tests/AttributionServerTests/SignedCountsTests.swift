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

    @Test("Lines that are not known to be added are written again as they are, before any other")
    func again() throws {
        let store = UnreliableStore(failures: 2)
        let log = LinesOfLog()
        let counts = SignedCounts(.store(store), at: .now, logger: log.logger)
        try Self.sign([1, 2, 1], counts)
        #expect(!counts.write())
        try Self.sign([1], counts)
        #expect(!counts.write())
        #expect(counts.write())
        #expect(counts.write())
        let calls = store.calls
        try #require(calls.count == 4)
        #expect(calls[0] == calls[1] && calls[1] == calls[2])
        #expect(Set(calls[0].map(\.signed)) == [1, 2] && Set(calls[0].map(\.sequence)) == [1, 2])
        // An ad counts once, in all its forms.
        #expect(calls[3].map(\.signed) == [1] && calls[3].map(\.sequence) == [3])
        #expect(Set(calls.flatMap { $0.map(\.writer) }).count == 1)
        #expect(log.lines.contains { $0.contains("signed impressions could not be written") })
    }

    /// A store to which others add meanwhile.
    private final class BusyStore: AdCostWriting {
        let lines = Mutex<[SignedImpressionCount]>([])

        func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> Int {
            lines.withLock { $0 += counts }
            return counts.count
        }

        func addSignedUnlessBusy(_ counts: [SignedImpressionCount]) throws -> Bool {
            false
        }

        func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
            SpendRecording()
        }
    }

    @Test("While others write to the store, lines are left for the next minute, and for the end")
    func busy() throws {
        let store = BusyStore()
        let start = ContinuousClock.now
        let log = LinesOfLog()
        let counts = SignedCounts(.store(store), at: start, logger: log.logger)
        try Self.sign([1], counts)
        counts.heartbeat(at: start + .seconds(60))
        counts.heartbeat(at: start + .seconds(120))
        #expect(store.lines.withLock(\.isEmpty) && log.lines.isEmpty)
        #expect(counts.write())
        #expect(store.lines.withLock { $0.map(\.signed) } == [1])
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
