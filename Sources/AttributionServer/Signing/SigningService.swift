import Attribution
package import AttributionConsole
package import AttributionListener
package import AttributionSigning
package import Logging
package import Metrics
import Synchronization

/// Signs what clients ask for, on the event loops that their requests arrive on.
package final class SigningService: Sendable {
    /// How many requests may wait on each event loop.
    package static let queuedPerLoop = 1_024

    private let gate: SigningGate
    private let current: CurrentSigner
    private let queued: Int
    private let signDigest: SignDigest
    private let requestSignatures: RequestSignatures
    private let counts: SignedCounts?
    private let logger: Logger
    private let metricsFactory: any MetricsFactory
    private let loops = Mutex<[SigningLoop]>([])

    package init(
        signer: CurrentSigner,
        access: AccessControl?,
        isSocket: Bool = false,
        queued: Int = SigningService.queuedPerLoop,
        counts: SignedCounts? = nil,
        signDigest: @escaping SignDigest = { try $0.signature(digest: $1) },
        requestSignatures: @escaping RequestSignatures = { $1([:]) },
        logger: Logger,
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        current = signer
        gate = SigningGate(access: access, isSocket: isSocket)
        self.queued = queued
        self.counts = counts
        self.signDigest = signDigest
        self.requestSignatures = requestSignatures
        self.logger = logger
        self.metricsFactory = metricsFactory
    }

    package var queueDepth: Int {
        loops.withLock { $0 }.reduce(0) { $0 + $1.queueDepth }
    }

    /// The routes of a listener whose requests are answered here.
    package static var routes: IngressRoutes {
        SigningRoute.all
    }

    /// Makes what answers the requests of an event loop, to be called once for each.
    package func makeHandler(on schedule: @escaping IngressSchedule) -> IngressHandler.Callback {
        let loop = SigningLoop(
            schedule, capacity: queued, requestSignatures: requestSignatures,
            worker: SigningWorker(
                current: current, access: gate.access, counts: counts, signDigest: signDigest, logger: logger,
                metrics: SigningMetrics(factory: metricsFactory)))
        loops.withLock { $0.append(loop) }
        return { [gate] request, answer in
            let (caller, refusal) = gate.judge(request)
            if let refusal {
                return answer(IngressAnswer(refusing: refusal, caller: caller))
            }
            let pending = SigningRequest(
                route: SigningRoute(request.route), body: request.body, caller: caller,
                receivedAt: UnixMilliseconds(request.receivedAt), answer: answer)
            if pending.route != .batch, pending.body.count > SigningRequest.bodyLimit {
                return pending.refuse(
                    Refusal(.bodyTooLarge, "the body is larger than \(SigningRequest.bodyLimit) bytes"))
            }
            if pending.route == .batch, let caller {
                // Each order is signed at least once; what more it needs is known once it is read.
                gate.access?.charge(caller, pending.body.dropLast().count { $0 == UInt8(ascii: "\n") }, at: .now)
            }
            loop.add(pending)
        }
    }
}
