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

        func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> SignedRecording {
            try state.withLock { state in
                state.calls.append(counts)
                state.failures -= 1
                guard state.failures < 0 else {
                    throw Failed()
                }
                return SignedRecording()
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
        let isBusy = Mutex(true)

        func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> SignedRecording {
            lines.withLock { $0 += counts }
            return SignedRecording()
        }

        func addSignedUnlessBusy(_ counts: [SignedImpressionCount]) throws -> SignedRecording? {
            try isBusy.withLock(\.self) ? nil : addSigned(counts, of: .real)
        }

        func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
            SpendRecording()
        }
    }

    @Test("While others write to the store, each heartbeat tries again, and after a minute that is logged once")
    func busy() throws {
        let store = BusyStore()
        let start = ContinuousClock.now
        let log = LinesOfLog()
        let counts = SignedCounts(.store(store), at: start, logger: log.logger)
        try Self.sign([1], counts)
        for second in 60..<120 { counts.heartbeat(at: start + .seconds(second)) }
        #expect(store.lines.withLock(\.isEmpty) && log.lines.isEmpty)
        for second in 120..<300 { counts.heartbeat(at: start + .seconds(second)) }
        #expect(log.lines.count == 1 && log.lines[0].contains("signed impressions wait"), "\(log.lines)")
        try Self.sign([1], counts)
        store.isBusy.withLock { $0 = false }
        counts.heartbeat(at: start + .seconds(300))
        #expect(store.lines.withLock { $0.map(\.sequence) } == [1, 2])
        // The next minute begins there.
        try Self.sign([1], counts)
        counts.heartbeat(at: start + .seconds(359))
        #expect(store.lines.withLock(\.count) == 2)
        counts.heartbeat(at: start + .seconds(360))
        #expect(store.lines.withLock(\.count) == 3)
    }

    /// A store whose sums are all damaged.
    private struct DamagedStore: AdCostWriting {
        func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> SignedRecording {
            var recording = SignedRecording()
            recording.leftOut = counts.count
            recording.damaged = Set(
                counts.map { AdCostTable.Row(day: $0.day.number, campaign: StoredCampaign($0.campaign)) })
            return recording
        }

        func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
            SpendRecording()
        }
    }

    @Test("A damaged sum of the store, to which nothing can be added, is logged once")
    func damaged() throws {
        let log = LinesOfLog()
        let counts = SignedCounts(.store(DamagedStore()), at: .now, logger: log.logger)
        for (app, logged) in [(1, 1), (1, 1), (2, 2)] {
            try Self.sign([app], counts)
            #expect(counts.write())
            #expect(log.lines.count == logged, "\(log.lines)")
        }
        #expect(log.lines.first?.contains("signed impressions are not counted") == true, "\(log.lines)")
    }

    @Test("At the end, lines are written however long others write to the store")
    func end() throws {
        let store = BusyStore()
        let counts = SignedCounts(.store(store), at: .now, logger: LinesOfLog().logger)
        try Self.sign([1], counts)
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
