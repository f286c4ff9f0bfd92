package import Attribution
package import AttributionSigning
package import AttributionStore
import Dispatch
import Foundation
package import Logging
package import Metrics
import ServiceLifecycle
import Synchronization

/// Accepts bodies from any thread, verifies and records them in batches, and answers each after its commit.
///
/// A single writer takes everything that arrived while it wrote the last batch: under light load a body waits only for
/// its own commit, and under heavy load commits are shared. In between, the writer waits briefly for a batch to grow,
/// because a commit costs as much as ten postbacks. It is independent of HTTP.
package final class Ingestor: Service {
    private let verifier: PostbackVerifier
    private let ledger: any LedgerWriting
    private let limits: IngestorLimits
    private let logger: Logger
    private let answeringTogether: @Sendable (() -> Void) -> Void
    private let metrics: IngestMetrics
    private let metricsFactory: any MetricsFactory
    private let state = Mutex(State())
    /// Signalled when enough bodies have arrived for a waiting writer.
    private let arrival = DispatchSemaphore(value: 0)

    private struct Pending {
        let body: [UInt8]
        let recipient: Delivery.Recipient
        let client: String?
        let receivedAtMilliseconds: Int64
        let answer: @Sendable (IngestOutcome) -> Void
    }

    private struct State {
        var pending: [Pending] = []
        /// When the first body of each pending batch was submitted; the clock is read once per batch.
        var batchesReceivedAt: [ContinuousClock.Instant] = []
        var isClosed = false
        /// How many bodies the writer waits for; nil if it is not waiting.
        var awaitedCount: Int?

        /// Returns whether the caller must signal the waiting writer, and marks it as signalled.
        mutating func takeWaitingWriter() -> Bool {
            guard let awaitedCount, pending.count >= awaitedCount || isClosed else {
                return false
            }
            self.awaitedCount = nil
            return true
        }
    }

    /// Creates an ingestor; it works while ``run()`` does.
    ///
    /// - Parameters:
    ///   - verifier: Judges the bodies.
    ///   - ledger: Records them.
    ///   - limits: The limits of the queue and of batches.
    ///   - answeringTogether: Called with the work of answering a batch, which it must do exactly once before it
    ///     returns.
    ///   - logger: Where problems are logged.
    ///   - metricsFactory: Where deliveries are counted.
    package init(
        verifier: PostbackVerifier,
        ledger: any LedgerWriting,
        limits: IngestorLimits = IngestorLimits(),
        answeringTogether: @escaping @Sendable (() -> Void) -> Void = { $0() },
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.verifier = verifier
        self.ledger = ledger
        self.limits = limits
        self.answeringTogether = answeringTogether
        self.logger = logger
        metrics = IngestMetrics(factory: metricsFactory)
        self.metricsFactory = metricsFactory
    }

    /// How many bodies wait for the writer.
    package var queueDepth: Int {
        state.withLock { $0.pending.count }
    }

    /// Submits a body.
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
        let (isTaken, isWriterWaiting) = state.withLock { state in
            guard !state.isClosed, state.pending.count < limits.queuedBodies else { return (false, false) }
            // A new batch begins: batches are taken from the front, with up to this many bodies.
            if state.pending.count.isMultiple(of: limits.batch) {
                state.batchesReceivedAt.append(.now)
            }
            state.pending.append(
                Pending(
                    body: body, recipient: recipient, client: client,
                    receivedAtMilliseconds: receivedAtMilliseconds, answer: answer))
            return (true, state.takeWaitingWriter())
        }
        if isWriterWaiting { arrival.signal() }
        if !isTaken { answer(.overloaded) }
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
            await withCheckedContinuation { ended in
                let thread = Thread {
                    Thread.scheduleAsBatch()
                    self.write()
                    ended.resume()
                }
                thread.name = "skan-writer"
                thread.start()
            }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Stops accepting bodies; accepted ones are still written.
    package func close() {
        let isWriterWaiting = state.withLock { state in
            state.isClosed = true
            return state.takeWaitingWriter()
        }
        if isWriterWaiting { arrival.signal() }
    }

    // MARK: The writer

    private func write() {
        var batch: [Pending] = []
        var deliveries: [Delivery] = []
        var log = IngestLog(logger)
        var apps = AppMetrics(factory: metricsFactory)
        while let receivedAt = takeBatch(into: &batch, &log) {
            record(batch, receivedAt: receivedAt, by: &deliveries, &log, &apps)
            gather(after: batch.count)
            batch.removeAll(keepingCapacity: true)
            deliveries.removeAll(keepingCapacity: true)
        }
        // Reports suppressed lines now, because there will be no later batch.
        log.countSuppressed(at: .now + .seconds(1))
    }

    /// Under load, waits briefly for the next batch to grow to twice the size of the last one.
    private func gather(after count: Int) {
        let wanted = min(count * 2, limits.largestGatheredBatch)
        let waits = state.withLock { state in
            guard count >= limits.busyBatch, state.pending.count < wanted, !state.isClosed else {
                return false
            }
            state.awaitedCount = wanted
            return true
        }
        guard waits, arrival.wait(timeout: .now() + .milliseconds(limits.gatheringMilliseconds)) == .timedOut else {
            return
        }
        // After the timeout, a thread may have taken the waiting writer and be about to signal.
        let isSignalled = state.withLock { state in
            defer { state.awaitedCount = nil }
            return state.awaitedCount == nil
        }
        if isSignalled {
            arrival.wait()
        }
    }

    /// Takes the bodies that arrived since the last batch, and waits if there are none.
    ///
    /// - Parameters:
    ///   - batch: An empty array, whose memory is reused for pending bodies.
    ///   - log: Reports suppressed lines if nothing arrives for a second.
    /// - Returns: When the first body of the batch was submitted; nil once closed and empty.
    private func takeBatch(into batch: inout [Pending], _ log: inout IngestLog) -> ContinuousClock.Instant? {
        while true {
            let (receivedAt, isOver) = state.withLock { state in
                if state.pending.count <= limits.batch {
                    swap(&state.pending, &batch)
                } else {
                    batch.append(contentsOf: state.pending[..<limits.batch])
                    state.pending.removeFirst(limits.batch)
                }
                state.awaitedCount = batch.isEmpty && !state.isClosed ? 1 : nil
                return (batch.isEmpty ? nil : state.batchesReceivedAt.removeFirst(), batch.isEmpty && state.isClosed)
            }
            if isOver { return nil }
            if let receivedAt { return receivedAt }
            if !log.hasSuppressed {
                arrival.wait()
            } else if arrival.wait(timeout: .now() + 1) == .timedOut {
                log.countSuppressed(at: .now)
            }
        }
    }

    /// The outcome of a delivery that was neither recorded nor kept.
    private static func unrecorded(_ delivery: Delivery) -> IngestOutcome {
        // Others are answered whether or not there is room for them.
        if case .rejected(let rejection, let body) = delivery.judgement,
            QuarantineClass(rejection, body: body) == .future
        {
            return .quarantineFull
        }
        return .storeFailed
    }

    private func record(
        _ batch: [Pending],
        receivedAt: ContinuousClock.Instant,
        by deliveries: inout [Delivery],
        _ log: inout IngestLog,
        _ apps: inout AppMetrics
    ) {
        var waiting: [Int] = []
        waiting.reserveCapacity(batch.count)
        for (index, judgement) in verifier.judge(batch.map(\.body)).enumerated() {
            let item = batch[index]
            if case .rejected(.notJSON(let error), _) = judgement {
                item.answer(.refused(error))
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
            answeringTogether {
                for (index, (delivery, recording)) in zip(waiting, zip(deliveries, recordings)) {
                    batch[index].answer(recording.map { .durable($0) } ?? Self.unrecorded(delivery))
                }
            }
            for (delivery, recording) in zip(deliveries, recordings) {
                if case .quarantined(let rejection, let isKept)? = recording {
                    log.quarantined(rejection, isKept: isKept, delivery: delivery, at: now)
                }
            }
            log.countSuppressed(at: now)
        } catch {
            log.storeFailed(error, batch: deliveries.count, at: .now)
            answeringTogether {
                for index in waiting {
                    batch[index].answer(.storeFailed)
                }
            }
        }
    }
}
