import Attribution
package import AttributionAccess
import AttributionIngest
package import AttributionListener
package import AttributionSigning
import CodedErrors
import Dispatch
import Foundation
package import Logging
package import Metrics
import ServiceLifecycle
import Synchronization

/// Takes signing requests from any thread, signs them on threads of its own, many at a time, and answers each.
///
/// A thread takes what arrived while it signed the last requests, one of each client in turn, so that under load
/// signatures are verified together and under light load a request waits for nothing. What there is no room for is
/// refused at once. It is independent of HTTP.
package final class SigningService: Service {
    /// How much may wait for each thread: what it signs in about a tenth of a second.
    package static let queuedPerThread = 1_024

    private struct State {
        var queue: FairQueue<SigningRequest.Holder, SigningRequest>
        var idleThreads = 0
        /// How many requests wait for external signers; they are answered even after the end.
        var awaiting = 0
        var isClosed = false

        /// Whether the caller must wake a thread, which is then no longer idle.
        mutating func takeIdleThread() -> Bool {
            guard idleThreads > 0 else { return false }
            idleThreads -= 1
            return true
        }

        /// Whether nothing is left to sign, and nothing more will come.
        var isOver: Bool { isClosed && awaiting == 0 }
    }

    private let gate: SigningGate
    private let current: CurrentSigner
    private let threads: Int
    private let makeDigestSigner: BatchSigner.MakeDigestSigner
    private let requestSignatures: RequestSignatures
    private let answeringTogether: @Sendable (() -> Void) -> Void
    private let counts: SignedCounts?
    private let logger: Logger
    private let metricsFactory: any MetricsFactory
    private let state: Mutex<State>
    private let arrival = DispatchSemaphore(value: 0)

    /// Creates the service; it signs while ``run()`` does.
    ///
    /// - Parameters:
    ///   - signer: The key list, which may be replaced at any time.
    ///   - access: The tokens; without them, everyone who reaches the listener may sign.
    ///   - isSocket: Whether the listener is at a socket's file.
    ///   - threads: How many threads sign.
    ///   - queued: How many requests may wait.
    ///   - counts: Where signed ads are counted; nil if they are not.
    ///   - makeDigestSigner: Makes what signs digests with a key; it need not be reliable.
    ///   - requestSignatures: Requests signatures with keys that are not in this process.
    ///   - answeringTogether: Called with the work of answering requests, which it must do exactly once before it
    ///     returns.
    ///   - logger: Where problems are logged, and each answered request at debug.
    ///   - metricsFactory: Where signatures are counted.
    package init(
        signer: CurrentSigner,
        access: AccessControl?,
        isSocket: Bool = false,
        threads: Int,
        queued: Int? = nil,
        counts: SignedCounts? = nil,
        makeDigestSigner: @escaping BatchSigner.MakeDigestSigner = { try PreparedKey($0) },
        requestSignatures: @escaping RequestSignatures = { $1([:]) },
        answeringTogether: @escaping @Sendable (() -> Void) -> Void = { $0() },
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        current = signer
        gate = SigningGate(access: access, isSocket: isSocket)
        self.threads = max(1, threads)
        self.counts = counts
        self.makeDigestSigner = makeDigestSigner
        self.requestSignatures = requestSignatures
        self.answeringTogether = answeringTogether
        self.logger = logger
        self.metricsFactory = metricsFactory
        state = Mutex(State(queue: FairQueue(capacity: queued ?? Self.queuedPerThread * max(1, threads))))
    }

    /// How much waits to be signed.
    package var queueDepth: Int {
        state.withLock { $0.queue.weight }
    }

    /// The routes of a listener whose requests are submitted here.
    package static var routes: IngressRoutes {
        SigningRoute.all
    }

    /// Submits a request of ``routes``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - answer: Called exactly once, on any thread.
    package func submit(_ request: IngressRequest, answer: @escaping @Sendable (IngressAnswer) -> Void) {
        let (caller, refusal) = gate.judge(request)
        if let refusal {
            return answer(IngressAnswer(refusing: refusal, caller: caller))
        }
        let pending = SigningRequest(
            route: SigningRoute(request.route), body: request.body, caller: caller, client: request.client,
            receivedAt: UnixMilliseconds(request.receivedAt), answer: answer)
        if pending.route != .batch, pending.body.count > SigningRequest.bodyLimit {
            return pending.refuse(
                Refusal(.bodyTooLarge, "the body is larger than \(SigningRequest.bodyLimit) bytes"))
        }
        let (refused, wakesThread) = state.withLock { state in
            guard !state.isClosed else { return ([pending], false) }
            let refused = state.queue.add(pending, weight: pending.weight, for: pending.holder)
            return (refused, state.takeIdleThread())
        }
        if wakesThread { arrival.signal() }
        for request in refused {
            request.refuse(Refusal(.overloaded, "too many requests are waiting to be signed", hint: "send it again"))
        }
    }

    /// Signs until a graceful shutdown, then what was accepted before it, and returns.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                for number in 1...threads {
                    group.addTask { await Thread.runBatchWork(named: "skan-signer-\(number)") { self.sign() } }
                }
            }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Stops accepting requests; accepted ones are still answered.
    package func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idleThreads = 0 }
            return state.idleThreads
        }
        for _ in 0..<idle { arrival.signal() }
    }

    // MARK: The threads

    private func sign() {
        var worker = SigningWorker(
            current: current, counts: counts, makeDigestSigner: makeDigestSigner, logger: logger,
            metrics: SigningMetrics(factory: metricsFactory))
        while let requests = take() {
            let outcome = worker.sign(requests)
            if !outcome.unfinished.isEmpty {
                state.withLock { state in
                    for request in outcome.unfinished {
                        state.queue.putBack(request, weight: request.weight, for: request.holder)
                    }
                }
            }
            if !outcome.awaiting.isEmpty {
                state.withLock { $0.awaiting += outcome.awaiting.count }
                for (request, signatures) in outcome.awaiting { askSigners(for: signatures, of: request) }
            }
            answeringTogether {
                for (request, answer) in outcome.answered { request.answer(answer) }
            }
        }
    }

    /// Puts a request back with what external signers answer; no thread waits for them.
    private func askSigners(for signatures: [SignatureRequest], of request: SigningRequest) {
        requestSignatures(signatures) { answers in
            var request = request
            request.awaited?.signatures = answers
            let threads = self.state.withLock { state in
                state.queue.putBack(request, weight: request.weight, for: request.holder)
                state.awaiting -= 1
                // After the last one, every thread has to see that it is over.
                guard state.isOver else { return state.takeIdleThread() ? 1 : 0 }
                defer { state.idleThreads = 0 }
                return state.idleThreads
            }
            for _ in 0..<threads { self.arrival.signal() }
        }
    }

    /// Takes what waits, and waits if nothing does; nil once closed and empty.
    private func take() -> [SigningRequest]? {
        while true {
            let (requests, isOver) = state.withLock { state in
                let requests = state.queue.take(upTo: SigningWorker.requestsPerTurn).map(\.element)
                if requests.isEmpty, !state.isOver { state.idleThreads += 1 }
                return (requests, state.isOver)
            }
            if !requests.isEmpty { return requests }
            if isOver { return nil }
            arrival.wait()
        }
    }
}
