import Attribution
package import AttributionIngest
import AttributionListener
import AttributionSigning
import CodedErrors
import StrictJSON
import Synchronization

extension IngressAnswer {
    /// Makes the answer to a delivery.
    ///
    /// Deliveries that need no repeat are answered 200: a device repeats others up to nine times over nine days.
    ///
    /// - SeeAlso: [Verifying an install-validation
    ///   postback](https://developer.apple.com/documentation/storekit/verifying-an-install-validation-postback)
    package init(_ outcome: IngestOutcome) {
        // Few answers have a cause, so they are not among the frequent ones.
        if case .durable(let recording, let cause?) = outcome {
            self.init(rendering: recording, cause)
            return
        }
        switch outcome.result {
        case .success(let recording): self.init(recording)
        case .failure(let refusal): self.init(refusing: refusal)
        }
    }

    /// The answers a flood gets, each rendered once: as many as there are kinds of traffic and of keys.
    private static let frequent = Mutex<[Recording: IngressAnswer]>([:])

    private init(_ recording: Recording) {
        switch recording {
        case .recorded, .duplicate, .conflict, .quarantined(.invalidSignature, _):
            self = Self.frequent.withLock { answers in
                if let answer = answers[recording] {
                    return answer
                }
                let answer = IngressAnswer(rendering: recording)
                answers[recording] = answer
                return answer
            }
        case .quarantined:
            self.init(rendering: recording)
        }
    }

    private init(rendering recording: Recording, _ cause: ProvenCause? = nil) {
        let (reason, rest): (JSONText, [(String, JSONText)]) =
            switch recording {
            case .recorded(let traffic), .duplicate(let traffic):
                (.null, [("provenance", .string(traffic.provenance.rawValue))])
            case .conflict(let traffic, let isKept):
                (.null, [("provenance", .string(traffic.provenance.rawValue)), ("kept", .bool(isKept))])
            case .quarantined(let rejection, let isKept):
                (
                    .string(rejection.code.rawValue),
                    [("detail", .string(rejection.description)), ("kept", .bool(isKept))]
                )
            }
        self.init(
            status: 200,
            json: [("status", .string(recording.status.rawValue)), ("reason", reason)] + rest + (cause?.members ?? []))
    }

    init(status: Int, json: [(String, JSONText)], retryAfter: Duration? = nil) {
        self.init(status: status, body: JSONText.object(json).lineBytes, retryAfter: retryAfter)
    }
}

extension ProvenCause {
    /// The members that name it in an answer.
    fileprivate var members: [(String, JSONText)] {
        [("cause", .string(cause.rawValue))] + (field.map { [("field", .string($0))] } ?? [])
    }
}
