package import Attribution
import AttributionExplaining
package import AttributionIngest
import AttributionListener
import AttributionSigning
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
        if case .refused(let error, let cause?) = outcome {
            let refusal = Refusal(error)
            self.init(status: refusal.code.httpStatus, json: refusal.members() + cause.members)
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
                    [
                        ("detail", .string(rejection.description + (rejection.hint.map { "; " + $0 } ?? ""))),
                        ("kept", .bool(isKept)),
                    ]
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

extension IngressAnswer {
    /// Makes the answer to a tap on a web ad.
    ///
    /// 200 always carries a payload, because a device takes the body for one. A refusal is 4xx: the same bytes would be
    /// refused again. 503 is a failure that an operator can fix.
    ///
    /// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
    package init(_ outcome: WebAdOutcome) {
        switch outcome.result {
        case .success(let signed):
            do throws(FieldProblem) {
                self.init(status: 200, body: try signed.webAdPayload().lineBytes)
            } catch {
                // A signed tap is always a web ad, so this is an internal error.
                self.init(refusing: Refusal(.signingFailed, error.message))
            }
        case .failure(let refusal): self.init(refusing: refusal)
        }
    }
}

/// A path of the public listener.
///
/// A new route is one more case: matching, metrics and the access log follow from it.
package enum PublicRoute: CaseIterable, Hashable, Sendable {
    /// Postbacks of SKAdNetwork at the network's registered URL.
    case skAdNetworkPostback
    /// Postbacks of AdAttributionKit at the network's registered URL.
    case adAttributionKitPostback
    /// Copies of winning SKAdNetwork postbacks for the developer.
    case skAdNetworkDeveloperCopy
    /// Copies of winning AdAttributionKit postbacks for the developer.
    case adAttributionKitDeveloperCopy
    /// Taps on web ads, answered with signed payloads.
    case webAdPayload

    /// What is done with a request.
    package enum Purpose: Hashable, Sendable {
        /// A postback is recorded.
        case delivery(Delivery.Recipient)
        /// A tap on a web ad is answered with a signed payload.
        case webAdTap
        /// A proxy asks whether the process answers; it learns nothing else.
        case liveness
    }

    /// The path, without a trailing slash.
    package var path: String {
        switch self {
        case .skAdNetworkPostback: "/skadnetwork/postbacks"
        case .adAttributionKitPostback: "/adattributionkit/postbacks"
        case .skAdNetworkDeveloperCopy: "/.well-known/skadnetwork/report-attribution"
        case .adAttributionKitDeveloperCopy: "/.well-known/appattribution/report-attribution"
        case .webAdPayload: AttributionDestination.path
        }
    }

    /// What the path is for.
    package var purpose: Purpose {
        switch self {
        case .skAdNetworkPostback, .adAttributionKitPostback: .delivery(.network)
        case .skAdNetworkDeveloperCopy, .adAttributionKitDeveloperCopy: .delivery(.developer)
        case .webAdPayload: .webAdTap
        }
    }
}
