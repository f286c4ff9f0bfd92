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
    /// The answer for the client: that of the other server, or else that it must come again.
    let answer: IngressAnswer
    /// For example `forwarded, answered 200 quarantined invalid-signature`.
    let text: String
    /// Where it was forwarded to, and what was answered or why nothing was.
    let json: JSONText

    /// Forwards a delivery.
    init(_ body: [UInt8], to url: String) async {
        let received: DeliveryClient.Answer
        do {
            received = try await DeliveryClient().post(body, to: url)
        } catch {
            let reason = DeliveryClient.reason(error)
            answer = IngressAnswer(.storeFailed)
            text = "not forwarded: \(reason)"
            json = .object([("url", .string(url)), ("error", .string(reason))])
            return
        }
        // Of Retry-After, only seconds are passed on.
        let seconds = received.field("retry-after").flatMap { Int64($0) }
            .flatMap { (0...31_536_000).contains($0) ? $0 : nil }
        let verdict = try? JSONObject(reading: received.body)
        func word(_ name: String) -> String? {
            if case .string(let text) = verdict?[name] { text.shortened(to: 40) } else { nil }
        }
        let (status, reason) = (word("status"), word("reason"))
        answer = IngressAnswer(
            status: received.status, body: received.body, retryAfter: seconds.map { .seconds($0) })
        text =
            "forwarded, answered "
            + [String(received.status), status, reason].compactMap(\.self).joined(separator: " ")
        json = .object(
            [
                ("url", .string(url)), ("http-status", .integer(Int64(received.status))),
                ("status", status.map { .string($0) } ?? .null), ("reason", reason.map { .string($0) } ?? .null),
            ] + (seconds.map { [("retry-after", .integer($0))] } ?? []))
    }
}
