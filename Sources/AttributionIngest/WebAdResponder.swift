package import Attribution
package import AttributionSigning
package import AttributionStore
import BoundedLogging
package import Logging
import ServiceLifecycle

/// Answers taps on web ads one at a time, with payloads whose nonces are used up on disk.
///
/// Taps wait in a bounded queue, so that callers never block on the store or OpenSSL. It is independent of HTTP.
package final class WebAdResponder: Service {
    private struct Pending: Sendable {
        let tap: WebAdTap
        let receivedAt: UnixMilliseconds
        let answer: @Sendable (WebAdOutcome) -> Void
    }

    private let ledger: any WebAdLedger
    private let current: CurrentSigner
    private let failures: FailureLog
    private let missingKeys: FailureLog
    private let taps: AsyncStream<Pending>
    private let queue: AsyncStream<Pending>.Continuation

    /// Creates a responder; it works while ``run()`` does.
    ///
    /// - Parameters:
    ///   - ledger: Stores the ads.
    ///   - signer: Signs the payloads; it may be replaced at any time.
    ///   - queuedTaps: The most taps that wait; by default 1,024, under a second of commits on a slow disk.
    ///   - logger: Where failures are logged.
    package init(ledger: any WebAdLedger, signer: CurrentSigner, queuedTaps: Int = 1_024, logger: Logger) {
        self.ledger = ledger
        current = signer
        failures = FailureLog("web ad not answered", logger: logger)
        missingKeys = FailureLog("no signing key for the network of a tapped web ad", logger: logger)
        (taps, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(queuedTaps))
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
        let counted: @Sendable (WebAdOutcome) -> Void = { outcome in
            outcome.count()
            answer(outcome)
        }
        let tap: WebAdTap
        do {
            tap = try WebAdTap(reading: body)
        } catch {
            return counted(.refused(error))
        }
        let pending = Pending(tap: tap, receivedAt: receivedAt, answer: counted)
        if case .enqueued = queue.yield(pending) {
            return
        }
        counted(.overloaded)
    }

    /// Answers taps until a graceful shutdown, then those accepted before it, and returns.
    package func run() async throws {
        await withGracefulShutdownHandler {
            for await pending in taps {
                pending.answer(await outcome(of: pending))
            }
        } onGracefulShutdown: {
            self.close()
        }
    }

    /// Stops accepting taps; accepted ones are still answered.
    package func close() {
        queue.finish()
    }

    private func outcome(of pending: Pending) async -> WebAdOutcome {
        let signer = current.signer
        do {
            let answer = try await ledger.answer(pending.tap, at: pending.receivedAt) {
                try signer.sign($0)
            }
            switch answer {
            case .success(let signed): return .signed(signed)
            case .failure(let refusal): return .refused(refusal)
            }
        } catch let problem as KeyProblem {
            guard case .noKey(let adNetworkID, _) = problem else {
                failures.note(problem)
                return .failed
            }
            missingKeys.note(problem, metadata: ["network": "\(adNetworkID)"])
            return .keyMissing(adNetworkID: adNetworkID)
        } catch {
            failures.note(error)
            return .failed
        }
    }
}
