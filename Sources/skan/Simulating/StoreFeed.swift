import Attribution
import AttributionHarness
import AttributionIngest
import AttributionSigning
import AttributionStore
import Logging
import SQLiteStore
import Synchronization

/// A store that is fed as a server feeds it, through the same verification and the same writer, by a clock of its own.
final class StoreFeed: Sendable {
    /// The store as its owner has it.
    let ledger: SQLiteLedgerWriter
    private let ingestor: Ingestor
    private let clock: VirtualClock
    private let answers = Mutex(TrafficSender.Result())

    /// The present of the scenario, which the store notes with each row.
    private final class VirtualClock: Sendable {
        let now = Mutex<Int64>(0)
    }

    /// Opens a store, and creates it when there is none.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - standIn: Its keys are trusted as test keys.
    /// - Throws: ``AttributionStore/StoreError``, and what OpenSSL reports.
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

    /// Takes nothing more; what was accepted is still recorded.
    func finish() {
        ingestor.close()
    }

    /// The answers so far, held against what was expected.
    var result: TrafficSender.Result {
        answers.withLock { $0 }
    }

    /// Records what is known of ads besides their postbacks, as `skan import --test-ads` does.
    func record(_ costs: ScenarioCosts) throws {
        try ledger.addSigned(costs.signed, of: .test)
        _ = try ledger.recordSpend(costs.spend, of: .test, replaces: false)
    }

    /// Records deliveries, and holds each answer against what was expected.
    ///
    /// - Parameters:
    ///   - deliveries: The deliveries in order of time.
    ///   - start: When the scenario begins, in Unix milliseconds.
    func record(_ deliveries: [TimedDelivery], start: Int64) async {
        // What is cut before its end is no delivery.
        let deliveries = deliveries.filter { $0.delivery.transport != .cut }
        guard let last = deliveries.last else {
            return
        }
        clock.now.withLock { $0 = start + last.time }
        await withCheckedContinuation { done in
            let pending = Pending(deliveries.count, done)
            for timed in deliveries {
                ingestor.submit(
                    timed.delivery.body, recipient: timed.delivery.recipient,
                    receivedAtMilliseconds: start + timed.time
                ) { outcome in
                    self.note(outcome, of: timed.delivery)
                    pending.advance()
                }
            }
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

    /// How many answers are still to come.
    private final class Pending: Sendable {
        private let count: Mutex<Int>
        private let done: CheckedContinuation<Void, Never>

        init(_ count: Int, _ done: CheckedContinuation<Void, Never>) {
            self.count = Mutex(count)
            self.done = done
        }

        func advance() {
            let isSentLast = count.withLock { count in
                count -= 1
                return count == 0
            }
            if isSentLast {
                done.resume()
            }
        }
    }
}
