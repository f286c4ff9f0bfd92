package import Attribution
package import AttributionSigning
package import AttributionStore
import Dispatch
import Foundation
package import Logging
package import Metrics
import ServiceLifecycle
import Synchronization

/// Takes bodies from any thread, verifies and records them in batches, and answers each after its commit.
///
/// One writer takes whatever has arrived while the last batch was being written: under light load a body waits for
/// nothing but its own commit, under heavy load the commits are shared. Between the two the writer waits a moment for a
/// batch to grow, for a commit costs as much as ten postbacks. It knows no HTTP.
package final class Ingestor: Service {
    private let verifier: PostbackVerifier
    private let ledger: any LedgerWriting
    private let limits: IngestorLimits
    private let logger: Logger
    private let answeringTogether: @Sendable (() -> Void) -> Void
    private let metrics: IngestMetrics
    private let state = Mutex(State())
    /// Raised when something has arrived for a writer that waits.
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
        /// When the first body of each batch to come was handed in: the clock is read once for a batch.
        var batchesReceivedAt: [ContinuousClock.Instant] = []
        var isClosed = false
        /// How many bodies the writer waits for; nil while it does not wait.
        var awaited: Int?

        /// Whether the writer must be woken, which then is left to the one who asked.
        mutating func takeWaitingWriter() -> Bool {
            guard let awaited, pending.count >= awaited || isClosed else {
                return false
            }
            self.awaited = nil
            return true
        }
    }

    /// Makes an ingestor; it works while ``run()`` does.
    ///
    /// - Parameters:
    ///   - verifier: Judges the bodies.
    ///   - ledger: Records them.
    ///   - limits: How much is taken at a time.
    ///   - answeringTogether: Is handed the work of answering a batch and has to do it, once, before it returns.
    ///   - logger: Where problems go.
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
    }

    /// How many bodies wait for the writer.
    package var queueDepth: Int {
        state.withLock { $0.pending.count }
    }

    /// Hands in a body.
    ///
    /// - Parameters:
    ///   - body: The bytes as received.
    ///   - recipient: Whose copy it is.
    ///   - client: The network it came from, as text; nil when that is not known.
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
            // Turned away before any work is spent on it.
            guard !state.isClosed, state.pending.count < limits.queuedBodies else { return (false, false) }
            // Batches are taken from the front, this many at a time or all there are.
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

    /// Hands in a body and waits for its outcome.
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

    /// Writes batches until a graceful shutdown, then what was accepted before it, and returns.
    ///
    /// The work is done on a thread of its own: reading, verifying and recording block it, and what they allocate is
    /// freed where it was made.
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

    /// Takes nothing more; what was accepted is still written.
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
        while let receivedAt = takeBatch(into: &batch, &log) {
            record(batch, receivedAt: receivedAt, by: &deliveries, &log)
            gather(after: batch.count)
            batch.removeAll(keepingCapacity: true)
            deliveries.removeAll(keepingCapacity: true)
        }
        // Nothing more comes: what was suppressed last is counted now and not in a second.
        log.countSuppressed(at: .now + .seconds(1))
    }

    /// Lets the next batch grow to twice the last one, for a moment, when there are many to come.
    private func gather(after count: Int) {
        let wanted = min(count * 2, limits.gathered)
        let waits = state.withLock { state in
            guard count >= limits.busyBatch, state.pending.count < wanted, !state.isClosed else {
                return false
            }
            state.awaited = wanted
            return true
        }
        guard waits, arrival.wait(timeout: .now() + .milliseconds(limits.gatheringMilliseconds)) == .timedOut else {
            return
        }
        // Whoever saw that the writer waits has signalled it, or is about to.
        let isSignalled = state.withLock { state in
            defer { state.awaited = nil }
            return state.awaited == nil
        }
        if isSignalled {
            arrival.wait()
        }
    }

    /// Takes what has arrived since the last batch, waiting when nothing has.
    ///
    /// - Parameters:
    ///   - batch: An empty array, whose memory serves for what arrives next.
    ///   - log: Counts what it suppressed, when nothing arrives for a while.
    /// - Returns: When the first body of the batch was handed in; nil at the end, when there is none.
    private func takeBatch(into batch: inout [Pending], _ log: inout IngestLog) -> ContinuousClock.Instant? {
        while true {
            let (receivedAt, isOver) = state.withLock { state in
                if state.pending.count <= limits.batch {
                    swap(&state.pending, &batch)
                } else {
                    batch.append(contentsOf: state.pending[..<limits.batch])
                    state.pending.removeFirst(limits.batch)
                }
                state.awaited = batch.isEmpty && !state.isClosed ? 1 : nil
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

    /// What the sender hears of a delivery that was neither recorded nor kept.
    private static func unrecorded(_ delivery: Delivery) -> IngestOutcome {
        if case .rejected = delivery.judgement { .quarantineFull } else { .storeFailed }
    }

    private func record(
        _ batch: [Pending],
        receivedAt: ContinuousClock.Instant,
        by deliveries: inout [Delivery],
        _ log: inout IngestLog
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
            // Before the answers, so that whoever has one finds it counted.
            metrics.didCommit(recordings, after: now - receivedAt)
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
