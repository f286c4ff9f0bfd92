package import Attribution
package import CodedErrors
package import StrictJSON

/// What became of a body handed in.
package enum IngestOutcome: Sendable {
    /// It is durable: recorded, a repeat, a conflict or in quarantine.
    case durable(Recording)
    /// It cannot be a postback: it is not one JSON object. Nothing was kept.
    case refused(JSONError)
    /// The queue is full or the server is stopping; nothing was done, the sender should come back.
    case overloaded
    /// It may be a genuine postback of a version or key not known yet, and there is no room to keep it; the sender should
    /// come back.
    case quarantineFull
    /// Whether the signature verifies could not be found out; nothing was kept, the sender should come back.
    case undecided
    /// The store failed; nothing was kept, the sender should come back.
    case storeFailed

    /// What is on disk, or why nothing is.
    package var result: Result<Recording, Refusal> {
        switch self {
        case .durable(let recording): .success(recording)
        case .refused(let error): .failure(Refusal(error))
        case .overloaded: Self.notKept(.overloaded, "too much waits to be recorded")
        case .quarantineFull:
            Self.notKept(
                .quarantineFull, "the postback is of a version or key not known yet, for which there is no room")
        case .undecided: Self.notKept(.undecided, "the signature could not be verified now")
        case .storeFailed: Self.notKept(.storeFailed, "the store does not answer")
        }
    }

    private static func notKept(_ code: ErrorCode, _ message: String) -> Result<Recording, Refusal> {
        .failure(Refusal(code, message + "; nothing was kept", hint: "send it again"))
    }
}
