package import Attribution
package import AttributionSigning
package import CodedErrors
package import StrictJSON

/// The result of submitting a body.
package enum IngestOutcome: Sendable {
    /// The result is on disk: recorded, a repeat, a conflict or quarantined; with the cause of an invalid signature, if
    /// one was looked for and proven.
    case durable(Recording, cause: ProvenCause? = nil)
    /// The body is not one JSON object; nothing was kept.
    case refused(JSONError)
    /// The queue is full or the server is stopping; the sender should retry.
    case overloaded
    /// It may be a genuine postback with an unknown version or key, and there is no room to keep it; the sender should
    /// retry.
    case quarantineFull
    /// The signature could not be verified now; nothing was kept, and the sender should retry.
    case undecided
    /// The store failed; nothing was kept, and the sender should retry.
    case storeFailed

    /// What was recorded, or why nothing was.
    package var result: Result<Recording, Refusal> {
        switch self {
        case .durable(let recording, _): .success(recording)
        case .refused(let error): .failure(Refusal(error))
        case .overloaded: Self.notKept(.overloaded, "too many postbacks are waiting to be recorded")
        case .quarantineFull:
            Self.notKept(
                .quarantineFull, "the postback has an unknown version or key, and there is no room to keep it")
        case .undecided: Self.notKept(.undecided, "the signature could not be verified now")
        case .storeFailed: Self.notKept(.storeFailed, "the store does not answer")
        }
    }

    private static func notKept(_ code: ErrorCode, _ message: String) -> Result<Recording, Refusal> {
        .failure(Refusal(code, message + "; nothing was kept", hint: "send it again"))
    }
}
