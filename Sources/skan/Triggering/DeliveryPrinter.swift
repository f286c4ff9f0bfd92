import Attribution
import AttributionHarness
import AttributionIngest
import AttributionListener
import AttributionServer
import AttributionSigning
import Foundation
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
        let judgement = verifier.judge(body, receivedAt: UnixMilliseconds(Date()).rawValue)
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

/// What became of a delivery that was forwarded to another server.
struct ForwardedDelivery {
    private let url: String
    private let result: Result<DeliveryClient.Answer, Failure>

    /// Why there is no answer.
    private struct Failure: Error {
        let reason: String
    }

    /// Forwards a delivery.
    init(_ body: [UInt8], to url: String) async {
        self.url = url
        do {
            result = .success(try await DeliveryClient().post(body, to: url))
        } catch {
            result = .failure(Failure(reason: DeliveryClient.reason(error)))
        }
    }

    /// The answer for the client: that of the other server, or else that it must come again.
    var answer: IngressAnswer {
        switch result {
        case .success(let answer):
            IngressAnswer(
                status: answer.status, body: answer.body, retryAfter: Self.seconds(answer).map { .seconds($0) })
        case .failure: IngressAnswer(.storeFailed)
        }
    }

    /// For example `forwarded, answered 200 quarantined invalid-signature`.
    var text: String {
        switch result {
        case .success(let answer):
            let words = [Self.text("status", of: answer), Self.text("reason", of: answer)].compactMap { $0 }
            return "forwarded, answered " + ([String(answer.status)] + words).joined(separator: " ")
        case .failure(let failure): return "not forwarded: \(failure.reason)"
        }
    }

    /// Where it was forwarded to, and what was answered or why nothing was.
    var json: JSONText {
        switch result {
        case .success(let answer):
            var members: [(String, JSONText)] = [
                ("url", .string(url)), ("http-status", .integer(Int64(answer.status))),
                ("status", Self.text("status", of: answer).map { .string($0) } ?? .null),
                ("reason", Self.text("reason", of: answer).map { .string($0) } ?? .null),
            ]
            if let seconds = Self.seconds(answer) {
                members.append(("retry-after", .integer(seconds)))
            }
            return .object(members)
        case .failure(let failure):
            return .object([("url", .string(url)), ("error", .string(failure.reason))])
        }
    }

    /// The value of Retry-After, when it is in seconds.
    private static func seconds(_ answer: DeliveryClient.Answer) -> Int64? {
        answer.field("retry-after").flatMap { Int64($0) }.flatMap { (0...31_536_000).contains($0) ? $0 : nil }
    }

    private static func text(_ name: String, of answer: DeliveryClient.Answer) -> String? {
        guard case .string(let text)? = (try? JSONObject(reading: answer.body))?[name] else {
            return nil
        }
        return text.shortened(to: 40)
    }
}
