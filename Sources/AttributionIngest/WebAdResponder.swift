package import Attribution
package import AttributionSigning
package import AttributionStore
import BoundedLogging
import CodedErrors
import Foundation
package import Logging
import ServiceLifecycle

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
    private let givesWay: Bool

    /// Creates a responder; it works while ``run()`` does.
    ///
    /// - Parameters:
    ///   - ledger: Stores the ads.
    ///   - signer: Signs the payloads; it may be replaced at any time.
    ///   - limits: The limits of the queue and of groups.
    ///   - givesWay: Whether the writer leaves most of a contended processor to other threads of the process.
    ///   - signDigest: Signs with the keys of this process; it need not be reliable.
    ///   - requestSignatures: Requests signatures with keys that are not in this process.
    ///   - answeringTogether: Called with the work of answering a group, which it must do exactly once before it
    ///     returns.
    ///   - logger: Where failures are logged.
    package init(
        ledger: any WebAdLedger,
        signer: CurrentSigner,
        limits: BatchLimits = .taps,
        givesWay: Bool = false,
        signDigest: @escaping SignDigest = { try $0.signature(digest: $1) },
        requestSignatures: @escaping RequestSignatures = { $1([:]) },
        answeringTogether: @escaping @Sendable (() -> Void) -> Void = { $0() },
        logger: Logger
    ) {
        self.ledger = ledger
        current = signer
        self.givesWay = givesWay
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
            await Thread.runWriter(named: "skan-web-ads", givesWay: self.givesWay) { self.work() }
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
        } catch StoreError.failed(_, .damaged) where taps.count > 1 {
            // One damaged page must not refuse the taps on all other ads.
            return taps.flatMap { answers(to: [$0], signer) }
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
