import Attribution
import AttributionIngest
import AttributionListener
import AttributionServer
import AttributionSigning
import StrictJSON
import Synchronization

/// Verifies deliveries as they arrive, prints a line for each, and answers as a server would.
final class DeliveryPrinter: Sendable {
    private let verifier: PostbackVerifier
    private let format: VerifyCommand.Format
    /// Where deliveries are forwarded; nil to answer here.
    private let target: DeliveryURL?
    private let state = Mutex(State())

    private struct State {
        var count = 0
        var seen: Set<PostbackKey> = []
    }

    /// The number of ids remembered for recognizing repeats; then all are forgotten, to bound memory.
    private static let remembered = 100_000

    init(verifier: PostbackVerifier, format: VerifyCommand.Format, target: DeliveryURL?) {
        self.verifier = verifier
        self.format = format
        self.target = target
    }

    /// Handles a request, on an event loop.
    func take(_ request: IngressRequest, path: String, _ answer: @escaping @Sendable (IngressAnswer) -> Void) {
        let body = request.body
        let judgement = verifier.judge(body)
        let outcome = outcome(of: judgement)
        guard let target else {
            write(judgement, body, path, outcome.word, [("status", .string(outcome.word))])
            return answer(IngressAnswer(outcome))
        }
        Task {
            let forwarded = await ForwardedDelivery(body, to: target.url(path))
            write(judgement, body, path, forwarded.text, [("forwarded", forwarded.json)])
            answer(forwarded.answer)
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

    private func write(
        _ judgement: Judgement, _ body: [UInt8], _ path: String, _ outcome: String, _ members: [(String, JSONText)]
    ) {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let verdict = Verdict(
            judgement, of: JSONObjectSplitter.Record(bytes: body), file: path, number: number,
            unwrapped: false)
        Terminal.write(
            format == .json ? verdict.json(adding: members).line + "\n" : "\(verdict.text) [\(outcome)]\n")
        Terminal.finish()
    }
}

extension IngestOutcome {
    /// The outcome in a word, as printed.
    fileprivate var word: String {
        switch self {
        case .durable(let recording, _): recording.status.rawValue
        case .refused: "refused"
        case .overloaded, .quarantineFull, .undecided, .storeFailed: "not-recorded"
        }
    }
}
