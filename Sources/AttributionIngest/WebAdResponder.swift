package import Attribution
package import AttributionSigning
package import AttributionStore
package import Logging
package import Metrics
import Platform
import ServiceLifecycle
import StrictJSON

/// Answers taps on web ads in groups, with payloads whose nonces are used up on disk.
///
/// What arrived while the last group was written is one transaction: its nonces are used up, its payloads signed and
/// their signatures verified together, and after the commit it is answered. It is independent of HTTP.
package final class WebAdResponder: Service {
    private struct Pending: Sendable {
        let tap: ReceivedTap
        /// What an external signer answered, and how often it was asked.
        var external: ExternalSignatures = [:]
        var requests = 0
        let answer: @Sendable (WebAdOutcome) -> Void
    }

    /// How often an external signer is asked for one tap: twice when the key list changed meanwhile, or when another tap
    /// on the same ad was decided first.
    private static let requestsPerTap = 2

    private let ledger: any WebAdLedger
    private let current: CurrentSigner
    private let signDigest: SignDigest
    private let requestSignatures: RequestSignatures
    private let answeringTogether: @Sendable (() -> Void) -> Void
    private let failures: FailureLog
    private let missingKeys: FailureLog
    private let queue: BatchQueue<Pending>

    /// Creates a responder; it works while ``run()`` does.
    package init(
        ledger: any WebAdLedger,
        signer: CurrentSigner,
        limits: BatchLimits = .taps,
        signDigest: @escaping SignDigest = { try $0.signature(digest: $1) },
        requestSignatures: @escaping RequestSignatures = { $1([:]) },
        answeringTogether: @escaping @Sendable (() -> Void) -> Void = { $0() },
        logger: Logger
    ) {
        self.ledger = ledger
        current = signer
        self.signDigest = signDigest
        self.requestSignatures = requestSignatures
        self.answeringTogether = answeringTogether
        failures = FailureLog("web ad not answered", logger: logger)
        missingKeys = FailureLog("no signing key for the network of a tapped web ad", logger: logger)
        queue = BatchQueue(limits: limits)
    }

    /// Submits a body.
    ///
    /// - Parameters:
    ///   - body: The bytes as received.
    ///   - receivedAt: When it was received; the payload's timestamp.
    ///   - answer: Called exactly once, on any thread.
    package func submit(
        _ body: [UInt8],
        receivedAt: UnixMilliseconds,
        answer: @escaping @Sendable (WebAdOutcome) -> Void
    ) {
        let refusal: WebAdOutcome
        do {
            let tap = ReceivedTap(try WebAdTap(reading: body), at: receivedAt)
            if queue.add(Pending(tap: tap, answer: answer)) {
                return
            }
            refusal = .overloaded
        } catch {
            refusal = .refused(error)
        }
        WebAdOutcome.count([refusal])
        answer(refusal)
    }

    /// Answers taps until a graceful shutdown, then those accepted before it, and returns.
    ///
    /// The work runs on a thread of its own, because it blocks on the store and signs.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await runThread(named: "skan-web-ads") { self.work() }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// Stops accepting taps; accepted ones are still answered.
    package func close() {
        queue.close()
    }

    // MARK: The thread

    private func work() {
        var batch: [Pending] = []
        while case .batch = queue.take(into: &batch) {
            let answers = answers(to: batch, current.signer)
            var decided: [(pending: Pending, outcome: WebAdOutcome)] = []
            for (pending, answer) in zip(batch, answers) {
                if case .unsigned(let error as ExternalSignatureNeeded) = answer,
                    pending.requests < Self.requestsPerTap
                {
                    askSigner(for: error.request, of: pending)
                } else {
                    decided.append((pending, outcome(of: answer)))
                }
            }
            // Counted before they are given, so that a client that has its answer finds it in the metrics.
            WebAdOutcome.count(decided.map(\.outcome))
            answeringTogether {
                for (pending, outcome) in decided { pending.answer(outcome) }
            }
            queue.gather(after: batch.count)
            batch.removeAll(keepingCapacity: true)
        }
    }

    private func answers(to taps: [Pending], _ signer: NetworkSigner) -> [TapAnswer] {
        let external = taps.reduce(into: ExternalSignatures()) { all, pending in
            all.merge(pending.external) { former, _ in former }
        }
        do {
            return try ledger.answer(taps.map(\.tap)) { sign($0, signer, external) }
        } catch {
            return taps.map { _ in .unsigned(error) }
        }
    }

    /// Takes a tap up again once an external signer has answered; its nonce is unused until then.
    private func askSigner(for signature: SignatureRequest, of pending: Pending) {
        requestSignatures([signature]) { answers in
            var pending = pending
            pending.external = answers
            pending.requests += 1
            guard !self.queue.add(pending) else { return }
            WebAdOutcome.count([.overloaded])
            pending.answer(.overloaded)
        }
    }

    private func sign(
        _ impressions: [SKAdNetworkImpression], _ signer: NetworkSigner, _ external: ExternalSignatures
    ) -> [Result<SignedSKAdNetworkImpression, any Error>] {
        signer.sign(impressions.map { .skAdNetwork($0) }, with: external, signDigest: signDigest).map { result in
            result.flatMap { signed in
                guard case .skAdNetwork(let impression) = signed.impression else {
                    return .failure(SignerError.signatureDoesNotVerify)
                }
                return .success(impression)
            }
        }
    }

    private func outcome(of answer: TapAnswer) -> WebAdOutcome {
        switch answer {
        case .signed(let signed): return .signed(signed)
        case .refused(let refusal): return .refused(refusal)
        case .unsigned(KeyProblem.noKey(let adNetworkID, let version)):
            missingKeys.note(
                KeyProblem.noKey(adNetworkID: adNetworkID, version: version), metadata: ["network": "\(adNetworkID)"])
            return .keyMissing(adNetworkID: adNetworkID)
        case .unsigned(let error as ExternalSignerError) where error.code == .signerUnavailable:
            return .signerUnavailable(error)
        case .unsigned(let error):
            failures.note(error)
            return .failed
        }
    }
}

/// The result of a tap on a web ad.
package enum WebAdOutcome: Sendable {
    /// The payload; its nonce is used up on disk.
    case signed(SignedSKAdNetworkImpression)
    /// The tap is refused.
    case refused(WebAdRefusal)
    /// The server has no signing keys.
    case noSigningKeys
    /// The server has no key for the ad's network; the nonce is still unused.
    case keyMissing(adNetworkID: String)
    /// The external signer of the ad's network does not sign now; the nonce is still unused.
    case signerUnavailable(ExternalSignerError)
    /// Too many taps are waiting, or the server is stopping; the nonce is still unused.
    case overloaded
    /// The store or the signer failed; the nonce is still unused, unless the failure came after the commit.
    case failed

    /// The payload, or why there is none.
    package var result: Result<SignedSKAdNetworkImpression, Refusal> {
        switch self {
        case .signed(let impression): .success(impression)
        case .refused(let refusal): .failure(Refusal(refusal))
        case .noSigningKeys:
            .failure(
                Refusal(
                    .noSigningKeys,
                    "this server was started without --signing-keys and cannot answer taps on web ads; "
                        + "the nonce is still unused",
                    hint: "start it with --signing-keys FILE (SKAN_SIGNING_KEYS)"))
        case .keyMissing(let adNetworkID):
            .failure(
                Refusal(
                    .keyMissing,
                    "the server no longer has a key to sign version 4.0 for \(adNetworkID.shortened(to: 60)); "
                        + "the nonce is still unused",
                    hint: "add one to its --signing-keys, and send it SIGHUP"))
        case .signerUnavailable(let error):
            .failure(Refusal(error.code, error.message + "; the nonce is still unused", hint: "send it again"))
        case .overloaded:
            .failure(
                Refusal(.overloaded, "too many taps are waiting; the nonce is still unused", hint: "send it again"))
        case .failed:
            .failure(Refusal(.storeFailed, "the store or the signer does not answer", hint: "send it again"))
        }
    }

    /// The label of the counter: the code of the refusal, or `signed`.
    package var label: String {
        switch result {
        case .success: "signed"
        case .failure(let refusal): refusal.code.rawValue
        }
    }

    /// Counts taps, each counter at most once.
    package static func count(_ outcomes: [WebAdOutcome], in factory: any MetricsFactory = MetricsSystem.factory) {
        var counts: [String: Int64] = [:]
        for outcome in outcomes { counts[outcome.label, default: 0] += 1 }
        for (label, count) in counts {
            Counter(label: "skan_web_ad_taps_total", dimensions: [("outcome", label)], factory: factory)
                .increment(by: count)
        }
    }
}
