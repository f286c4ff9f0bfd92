import Attribution
import AttributionHarness
import AttributionIngest
import AttributionListener
import AttributionServer
import AttributionSigning
import StrictJSON
import Synchronization

/// Judges deliveries as they come, prints a line for each, and answers as a server would.
final class DeliveryPrinter: Sendable {
    private let verifier: PostbackVerifier
    private let format: VerifyCommand.Format
    /// Where deliveries go on to; nil to answer here.
    private let target: DeliveryURL?
    private let state = Mutex(State())

    private struct State {
        var count = 0
        var seen: Set<PostbackKey> = []
    }

    /// Beyond it the oldest repeats are not recognised any more; nobody looks at as many lines.
    private static let remembered = 100_000

    init(verifier: PostbackVerifier, format: VerifyCommand.Format, target: DeliveryURL?) {
        self.verifier = verifier
        self.format = format
        self.target = target
    }

    /// Takes a request, on an event loop.
    func take(_ request: IngressRequest, path: String, _ answer: @escaping @Sendable (IngressAnswer) -> Void) {
        let body = request.body
        let judgement = verifier.judge(body)
        let outcome = outcome(of: judgement)
        guard let target else {
            write(judgement, body, path, outcome.word)
            return answer(IngressAnswer(outcome))
        }
        Task {
            do {
                let forwarded = try await DeliveryClient().post(body, to: target.url(path))
                write(judgement, body, path, "forwarded, answered \(forwarded.status)")
                answer(IngressAnswer(status: forwarded.status, body: forwarded.body))
            } catch {
                write(judgement, body, path, "not forwarded: \(DeliveryClient.reason(error))")
                answer(IngressAnswer(.storeFailed))
            }
        }
    }

    private func outcome(of judgement: Judgement) -> IngestOutcome {
        switch judgement {
        case .verified(let verified):
            let traffic = OwnNetworks().traffic(of: verified)
            let isNew = state.withLock { state in
                if state.seen.count >= Self.remembered {
                    state.seen.removeAll()
                }
                return state.seen.insert(verified.postback.key).inserted
            }
            return .durable(isNew ? .recorded(traffic) : .duplicate(traffic))
        case .rejected(.notJSON(let error), _): return .refused(error)
        case .rejected(let rejection, _): return .durable(.quarantined(rejection))
        case .undecided: return .undecided
        }
    }

    private func write(_ judgement: Judgement, _ body: [UInt8], _ path: String, _ outcome: String) {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let verdict = Verdict(
            judgement, of: JSONObjectSplitter.Record(bytes: body), file: path, number: number,
            unwrapped: false)
        Terminal.write(format == .json ? verdict.json.line + "\n" : "\(verdict.text) [\(outcome)]\n")
        Terminal.finish()
    }
}

extension IngestOutcome {
    /// What is printed of it.
    fileprivate var word: String {
        switch self {
        case .durable(let recording): recording.status.rawValue
        case .refused: "refused"
        case .overloaded, .quarantineFull, .undecided, .storeFailed: "to be sent again"
        }
    }
}
