import Attribution
import AttributionListener
import AttributionServer
import AttributionSigning
import AttributionStore
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@Suite("Counting what is signed into a store", .timeLimit(.minutes(2)))
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

        func addSigned(_ counts: [SignedImpressionCount]) throws -> Int {
            try state.withLock { state in
                state.calls.append(counts)
                state.failures -= 1
                guard state.failures < 0 else {
                    throw Failed()
                }
                return counts.count
            }
        }

        func recordSpend(_ spend: [Spend], replaces: Bool) throws -> SpendRecording {
            SpendRecording()
        }
    }

    private static func sign(_ items: [Int], _ counts: SignedCounts) async throws {
        let keys = try SigningKeys()
        let service = SigningService(
            signer: CurrentSigner(keys.signer), access: nil, threads: 1, counts: counts, logger: LinesOfLog().logger)
        let route = try #require(SigningService.routes.routes.first { $0.path == "/v1/impressions" })
        var credentials = RequestCredentials()
        credentials.host = "localhost"
        let requests = items.map { item in
            let order = """
                {"forms": ["storekit-rendered", "view-through", "adattributionkit"], "versions": ["4.0"], \
                "ad-network-id": "n.skadnetwork", "itunes-item-id": \(item), "source-app-id": 2, \
                "source-identifier": 39}
                """
            return IngressRequest(
                route: route, body: Array(order.utf8), receivedAt: Date(timeIntervalSince1970: 1_795_262_400),
                client: "192.0.2.1", credentials: credentials)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            for request in requests {
                let answer = await withCheckedContinuation { continuation in
                    service.submit(request) { continuation.resume(returning: $0) }
                }
                #expect(answer.status == 200)
            }
            service.close()
            try await group.waitForAll()
        }
    }

    @Test("Lines that are not known to be added are written again as they are, before any other")
    func again() async throws {
        let store = UnreliableStore(failures: 2)
        let log = LinesOfLog()
        let counts = SignedCounts(.store(store), at: .now, logger: log.logger)
        try await Self.sign([1, 2, 1], counts)
        #expect(!counts.write())
        try await Self.sign([1], counts)
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

    @Test("Sums are written when a minute has passed, and not before")
    func minute() async throws {
        let store = UnreliableStore(failures: 0)
        let start = ContinuousClock.now
        let counts = SignedCounts(.store(store), at: start, logger: LinesOfLog().logger)
        try await Self.sign([1], counts)
        counts.heartbeat(at: start + .seconds(59))
        #expect(store.calls.isEmpty)
        counts.heartbeat(at: start + .seconds(60))
        counts.heartbeat(at: start + .seconds(61))
        #expect(store.calls.count == 1)
    }
}
