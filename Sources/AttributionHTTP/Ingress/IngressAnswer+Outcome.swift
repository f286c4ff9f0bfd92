import Attribution
public import AttributionIngest

extension IngressAnswer {
    /// What a sender is told of its body.
    ///
    /// Whatever should not come back is answered 200: a device repeats anything else up to nine times over nine days.
    ///
    /// - SeeAlso: [Verifying an install-validation
    ///   postback](https://developer.apple.com/documentation/storekit/verifying-an-install-validation-postback)
    public init(_ outcome: IngestOutcome) {
        switch outcome {
        case .durable(let recording): self.init(recording)
        case .refused(let error):
            self = .refusal(400, PostbackRejection.Code.notJSON.rawValue, error.description)
        case .overloaded:
            self = .later(1, "overloaded", "too much is waiting to be recorded; nothing was kept, send it again")
        case .storeFailed:
            self = .later(30, "store-failed", "the store does not answer; nothing was kept, send it again")
        }
    }

    private init(_ recording: Recording) {
        let (reason, last): (JSONText, (String, JSONText)) =
            switch recording {
            case .recorded(let provenance), .duplicate(let provenance), .conflict(let provenance):
                (.null, ("provenance", .string(provenance.rawValue)))
            case .quarantined(let rejection):
                (.string(rejection.code.rawValue), ("detail", .string(rejection.description)))
            }
        self.init(
            status: 200, body: .object([("status", .string(recording.status.rawValue)), ("reason", reason), last]))
    }

    private static func later(_ seconds: Int, _ reason: String, _ detail: String) -> IngressAnswer {
        IngressAnswer(status: 503, body: refusal(503, reason, detail).body, retryAfterSeconds: seconds)
    }
}
