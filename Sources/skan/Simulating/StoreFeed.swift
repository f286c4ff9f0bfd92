import Attribution
import AttributionHarness
import AttributionIngest
import AttributionSigning
import AttributionStore
@preconcurrency import Dispatch
import Logging
import SQLiteStore
import Synchronization

/// Records deliveries in a store through the same verification and writer as a server, on a simulated clock.
final class StoreFeed: Sendable {
    let ledger: SQLiteLedgerWriter
    private let ingestor: Ingestor
    private let clock: VirtualClock
    private let answers = Mutex(TrafficSender.Result())

    /// The current time of the scenario, which the store records with each row.
    private final class VirtualClock: Sendable {
        let now = Mutex<Int64>(0)
    }

    /// Opens a store, and creates it if necessary; the keys of the stand-in are trusted as test keys.
    init(_ path: String, trusting standIn: AppleStandIn) throws {
        let clock = VirtualClock()
        self.clock = clock
        let verifier = try PostbackVerifier(testKeys: try standIn.publicKeys())
        try? verifier.prepareTables()
        ledger = try SQLiteLedgerWriter(
            path: path, now: { clock.now.withLock { $0 } }, onEvent: { StoreOwnership.say($0) })
        ingestor = Ingestor(
            verifier: verifier, ledger: ledger, limits: BatchLimits(queued: .max, batch: BatchLimits.postbacks.batch),
            logger: Logger(label: "simulate") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Works until ``finish()`` is called.
    func run() async throws {
        try await ingestor.run()
    }

    /// Accepts nothing more; what was accepted is still recorded.
    func finish() {
        ingestor.close()
    }

    /// The answers so far, compared with the expected ones.
    var result: TrafficSender.Result {
        answers.withLock { $0 }
    }

    /// Records signed impressions and costs, as `skan import --test-ads` does.
    func record(_ costs: ScenarioCosts) throws {
        try ledger.addSigned(costs.signed, of: .test)
        _ = try ledger.recordSpend(costs.spend, of: .test, replaces: false)
    }

    /// Records deliveries in order of time, and compares each answer with the expected one.
    func record(_ deliveries: [PlannedDelivery], start: Int64) async {
        // A body that is cut off is not a delivery.
        let deliveries = deliveries.filter { $0.transport != .cut }
        guard let last = deliveries.last else {
            return
        }
        clock.now.withLock { $0 = start + last.time }
        await withCheckedContinuation { done in
            let pending = DispatchGroup()
            for delivery in deliveries {
                pending.enter()
                ingestor.submit(
                    delivery.body, recipient: delivery.recipient, receivedAtMilliseconds: start + delivery.time
                ) { outcome in
                    self.note(outcome, of: delivery)
                    pending.leave()
                }
            }
            pending.notify(queue: .global()) { done.resume() }
        }
    }

    private func note(_ outcome: IngestOutcome, of delivery: PlannedDelivery) {
        answers.withLock { answers in
            switch outcome {
            case .durable(let recording, _):
                let reason: PostbackRejection.Code? =
                    if case .quarantined(let rejection, _) = recording { rejection.code } else { nil }
                answers.note(status: 200, recording.status, reason, of: delivery)
            case .refused:
                answers.note(status: 400, nil, nil, of: delivery)
            default:
                answers.note(status: 503, nil, nil, of: delivery)
            }
        }
    }
}
