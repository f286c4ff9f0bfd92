public import Attribution
public import AttributionSigning
public import AttributionStore
public import Logging
import Metrics
public import ServiceLifecycle
import Synchronization

/// Takes bodies from any thread, verifies and records them in batches, and answers each after its commit.
///
/// One writer takes whatever has arrived while the last batch was being written: under light load a body waits for
/// nothing but its own commit, under heavy load the commits are shared. It knows no HTTP.
public final class Ingestor: Service {
    private let verifier: PostbackVerifier
    private let ledger: any PostbackLedger
    private let limits: IngestorLimits
    private let logger: Logger
    private let state = Mutex(State())

    private struct Pending {
        let reading: Result<ReceivedPostback, PostbackRejection>
        let body: [UInt8]
        let recipient: Delivery.Recipient
        let receivedAtMilliseconds: Int64
        let answer: @Sendable (IngestOutcome) -> Void
    }

    private struct State {
        var pending: [Pending] = []
        var isClosed = false
        var writer: CheckedContinuation<Void, Never>?
    }

    /// Makes an ingestor; it works while ``run()`` does.
    public init(
        verifier: PostbackVerifier,
        ledger: any PostbackLedger,
        limits: IngestorLimits = IngestorLimits(),
        logger: Logger
    ) {
        self.verifier = verifier
        self.ledger = ledger
        self.limits = limits
        self.logger = logger
    }

    /// Hands in a body.
    ///
    /// - Parameters:
    ///   - body: The bytes as received.
    ///   - recipient: Whose copy it is.
    ///   - receivedAtMilliseconds: When it was received, in Unix milliseconds.
    ///   - answer: Called exactly once, on any thread, after the commit or the refusal.
    public func submit(
        _ body: [UInt8],
        recipient: Delivery.Recipient,
        receivedAtMilliseconds: Int64,
        answer: @escaping @Sendable (IngestOutcome) -> Void
    ) {
        // Turned away before any work is spent on it.
        guard state.withLock({ !$0.isClosed && $0.pending.count < limits.queuedBodies }) else {
            answer(.overloaded)
            return
        }
        let reading = Result { () throws(PostbackRejection) in try ReceivedPostback(reading: body) }
        if case .failure(.notJSON(let error)) = reading {
            answer(.refused(error))
            return
        }
        let item = Pending(
            reading: reading, body: body, recipient: recipient, receivedAtMilliseconds: receivedAtMilliseconds,
            answer: answer)
        let (isTaken, writer) = state.withLock { state in
            // Asked again: between the two looks the queue may have closed, and nobody would come for the item.
            guard !state.isClosed else {
                return (false, CheckedContinuation<Void, Never>?.none)
            }
            state.pending.append(item)
            return (true, state.writer.take())
        }
        writer?.resume()
        if !isTaken {
            answer(.overloaded)
        }
    }

    /// Hands in a body and waits for its outcome.
    public func ingest(
        _ body: [UInt8],
        recipient: Delivery.Recipient,
        receivedAtMilliseconds: Int64
    ) async -> IngestOutcome {
        await withCheckedContinuation { continuation in
            submit(body, recipient: recipient, receivedAtMilliseconds: receivedAtMilliseconds) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Writes batches until a graceful shutdown, then what was accepted before it, and returns.
    public func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            while let batch = await nextBatch() {
                await record(batch)
            }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Takes nothing more; what was accepted is still written.
    public func close() {
        let writer = state.withLock { state in
            state.isClosed = true
            return state.writer.take()
        }
        writer?.resume()
    }

    // MARK: The writer

    /// What has arrived since the last batch, waiting when nothing has; nil at the end.
    private func nextBatch() async -> [Pending]? {
        while true {
            let (batch, isOver) = state.withLock { state -> ([Pending], Bool) in
                let batch = Array(state.pending.prefix(limits.batch))
                state.pending.removeFirst(batch.count)
                return (batch, batch.isEmpty && state.isClosed)
            }
            if isOver {
                return nil
            }
            if !batch.isEmpty {
                return batch
            }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.pending.isEmpty, !state.isClosed else {
                        return true
                    }
                    state.writer = continuation
                    return false
                }
                if isReady {
                    continuation.resume()
                }
            }
        }
    }

    private func record(_ batch: [Pending]) async {
        var verified = verifier.verify(batch.compactMap { try? $0.reading.get() })[...]
        let deliveries = batch.map { item in
            let judgement: Judgement =
                switch item.reading {
                case .success: verified.removeFirst()
                case .failure(let rejection): .rejected(rejection, body: item.body)
                }
            return Delivery(
                judgement: judgement, recipient: item.recipient,
                receivedAtMilliseconds: item.receivedAtMilliseconds)
        }
        do {
            let recordings = try await ledger.record(deliveries)
            for (item, recording) in zip(batch, recordings) {
                Counter(label: "skan_deliveries_total", dimensions: [("status", recording.status.rawValue)])
                    .increment()
                item.answer(.durable(recording))
            }
        } catch {
            logger.error("store failed", metadata: ["batch": "\(batch.count)", "error": "\(error)"])
            for item in batch {
                item.answer(.storeFailed)
            }
        }
    }
}
