package import Attribution
package import AttributionExplaining
package import AttributionSigning
package import AttributionStore
package import Logging
package import Metrics
import ServiceLifecycle
package import StrictJSON

/// Accepts bodies from any thread, verifies and records them in batches, and answers each after its commit.
///
/// A single writer takes batches from a ``BatchQueue``. It is independent of HTTP.
package final class Ingestor: Service {
    private let verifier: PostbackVerifier
    private let ledger: any LedgerWriting
    private let explainer: PostbackExplainer?
    private let logger: Logger
    private let answeringTogether: @Sendable (() -> Void) -> Void
    private let metrics: IngestMetrics
    private let metricsFactory: any MetricsFactory
    private let queue: BatchQueue<Pending>

    private struct Pending: Sendable {
        let body: [UInt8]
        let recipient: Delivery.Recipient
        let client: String?
        let receivedAtMilliseconds: Int64
        let answer: @Sendable (IngestOutcome) -> Void
    }

    /// Creates an ingestor; it works while ``run()`` does.
    ///
    /// - Parameters:
    ///   - verifier: Judges the bodies.
    ///   - ledger: Records them.
    ///   - explainer: Finds causes of invalid signatures for the answers; nil for answers without.
    ///   - limits: The limits of the queue and of batches.
    ///   - answeringTogether: Called with the work of answering a batch, which it must do exactly once before it
    ///     returns.
    ///   - logger: Where problems are logged.
    ///   - metricsFactory: Where deliveries are counted.
    package init(
        verifier: PostbackVerifier,
        ledger: any LedgerWriting,
        explainer: PostbackExplainer? = nil,
        limits: BatchLimits = .postbacks,
        answeringTogether: @escaping @Sendable (() -> Void) -> Void = { $0() },
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.verifier = verifier
        self.ledger = ledger
        self.explainer = explainer
        queue = BatchQueue(limits: limits)
        self.answeringTogether = answeringTogether
        self.logger = logger
        metrics = IngestMetrics(factory: metricsFactory)
        self.metricsFactory = metricsFactory
    }

    /// How many bodies wait for the writer.
    package var queueDepth: Int {
        queue.count
    }

    /// Submits a body; while the ledger does not record, it is refused at once.
    ///
    /// - Parameters:
    ///   - body: The bytes as received.
    ///   - recipient: The recipient of this copy.
    ///   - client: The client's IP network, as text; nil if unknown.
    ///   - receivedAtMilliseconds: When it was received, in Unix milliseconds.
    ///   - answer: Called exactly once, on any thread, after the commit or the refusal.
    package func submit(
        _ body: [UInt8],
        recipient: Delivery.Recipient,
        client: String? = nil,
        receivedAtMilliseconds: Int64,
        answer: @escaping @Sendable (IngestOutcome) -> Void
    ) {
        // Nobody waits for a commit that hangs, and the heartbeat finds out when the next one would succeed.
        guard ledger.health.records else { return answer(.storeFailed) }
        let pending = Pending(
            body: body, recipient: recipient, client: client, receivedAtMilliseconds: receivedAtMilliseconds,
            answer: answer)
        if !queue.add(pending) { answer(.overloaded) }
    }

    /// Submits a body and waits for its outcome.
    package func ingest(
        _ body: [UInt8],
        recipient: Delivery.Recipient,
        client: String? = nil,
        receivedAtMilliseconds: Int64
    ) async -> IngestOutcome {
        await withCheckedContinuation { continuation in
            submit(body, recipient: recipient, client: client, receivedAtMilliseconds: receivedAtMilliseconds) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Writes batches until a graceful shutdown, then the bodies accepted before it, and returns.
    ///
    /// The work runs on a thread of its own, because it blocks and so that memory is freed on the thread that allocated
    /// it.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await runThread(named: "skan-writer") { self.write() }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Stops accepting bodies; accepted ones are still written.
    package func close() {
        queue.close()
    }

    // MARK: The writer

    private func write() {
        var batch: [Pending] = []
        var deliveries: [Delivery] = []
        var log = IngestLog(logger)
        var apps = AppMetrics(factory: metricsFactory)
        var search = explainer.map { CauseSearch($0, factory: metricsFactory) }
        writing: while true {
            switch queue.take(into: &batch, atMost: log.hasSuppressed ? 1 : nil) {
            case .batch(let receivedAt): record(batch, receivedAt: receivedAt, by: &deliveries, &log, &apps, &search)
            case .nothing:
                log.countSuppressed(at: .now)
                continue writing
            case .end: break writing
            }
            queue.gather(after: batch.count)
            batch.removeAll(keepingCapacity: true)
            deliveries.removeAll(keepingCapacity: true)
        }
        // Reports suppressed lines now, because there will be no later batch.
        log.countSuppressed(at: .now + .seconds(1))
    }

    /// The outcome of a delivery that was neither recorded nor kept.
    private static func unrecorded(_ delivery: Delivery) -> IngestOutcome {
        // Others are answered whether or not there is room for them.
        if case .rejected(let rejection, _) = delivery.judgement, QuarantineClass(rejection).isKeptOrRefused {
            return .quarantineFull
        }
        return .storeFailed
    }

    private func record(
        _ batch: [Pending],
        receivedAt: ContinuousClock.Instant,
        by deliveries: inout [Delivery],
        _ log: inout IngestLog,
        _ apps: inout AppMetrics,
        _ search: inout CauseSearch?
    ) {
        var waiting: [Int] = []
        waiting.reserveCapacity(batch.count)
        // Those whose cause is looked for after the commit.
        var refused: [(index: Int, error: JSONError)] = []
        let bodies = batch.map { ReceivedBody($0.body, receivedAtMilliseconds: $0.receivedAtMilliseconds) }
        for (index, judgement) in verifier.judge(bodies).enumerated() {
            let item = batch[index]
            if case .rejected(.notJSON(let error), _) = judgement {
                if search != nil, PostbackExplainer.mayWrap(item.body) {
                    refused.append((index, error))
                } else {
                    item.answer(.refused(error))
                }
                continue
            }
            if case .undecided(let reason, _) = judgement {
                log.undecided(reason, at: .now)
                item.answer(.undecided)
                continue
            }
            deliveries.append(
                Delivery(
                    judgement: judgement, recipient: item.recipient,
                    receivedAtMilliseconds: item.receivedAtMilliseconds, client: item.client))
            waiting.append(index)
        }
        do {
            let recordings = try ledger.record(deliveries)
            let now = ContinuousClock.now
            // Counted before it is answered, so that a client that has its answer finds it in the metrics.
            metrics.didCommit(recordings, after: now - receivedAt)
            apps.didCommit(deliveries, recordings)
            let causes =
                search?.causes(of: deliveries, recordings, refused: refused.map { batch[$0.index].body }, at: now)
                ?? [:]
            answeringTogether {
                for (number, (index, error)) in refused.enumerated() {
                    batch[index].answer(.refused(error, cause: causes[deliveries.count + number]))
                }
                for (number, (delivery, recording)) in zip(deliveries, recordings).enumerated() {
                    let cause = causes.isEmpty ? nil : causes[number]
                    let outcome = recording.map { IngestOutcome.durable($0, cause: cause) }
                    batch[waiting[number]].answer(outcome ?? Self.unrecorded(delivery))
                }
            }
            for (delivery, recording) in zip(deliveries, recordings) {
                switch (recording, delivery.judgement) {
                case (.quarantined(let rejection, let isKept)?, _):
                    log.quarantined(rejection, isKept: isKept, delivery: delivery, at: now)
                case (.conflict(_, let isKept)?, .verified(let verified)):
                    log.conflict(verified, isKept: isKept, delivery: delivery, at: now)
                default:
                    break
                }
            }
            log.countSuppressed(at: now)
        } catch {
            log.storeFailed(error, batch: deliveries.count, at: .now)
            answeringTogether {
                for (index, error) in refused {
                    batch[index].answer(.refused(error))
                }
                for index in waiting {
                    batch[index].answer(.storeFailed)
                }
            }
        }
    }
}

/// The result of submitting a body.
package enum IngestOutcome: Sendable {
    /// The result is on disk: recorded, a repeat, a conflict or quarantined; with the cause of an invalid signature, if
    /// one was looked for and proven.
    case durable(Recording, cause: ProvenCause? = nil)
    /// The body is not one JSON object; nothing was kept; with the cause, if a postback inside it was found and proven.
    case refused(JSONError, cause: ProvenCause? = nil)
    /// The queue is full or the server is stopping; the sender should retry.
    case overloaded
    /// It may be a genuine postback with an unknown version or key, or it is one with unknown values, and there is no
    /// room to keep it; the sender should retry.
    case quarantineFull
    /// The signature could not be verified now; nothing was kept, and the sender should retry.
    case undecided
    /// The store failed; nothing was kept, and the sender should retry.
    case storeFailed

    /// What was recorded, or why nothing was.
    package var result: Result<Recording, Refusal> {
        switch self {
        case .durable(let recording, _): .success(recording)
        case .refused(let error, _): .failure(Refusal(error))
        case .overloaded: Self.notKept(.overloaded, "too many postbacks are waiting to be recorded")
        case .quarantineFull:
            Self.notKept(
                .quarantineFull,
                "this release does not know the postback's version, key or values, and there is no room to keep it")
        case .undecided: Self.notKept(.undecided, "the signature could not be verified now")
        case .storeFailed: Self.notKept(.storeFailed, "the store does not answer")
        }
    }

    private static func notKept(_ code: ErrorCode, _ message: String) -> Result<Recording, Refusal> {
        .failure(Refusal(code, message + "; nothing was kept", hint: "send it again"))
    }
}
