public import Attribution

/// An answer of the ingress: a status and a small JSON object.
public struct IngressAnswer: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The JSON object that says why.
    public let body: JSONText
    /// After how many seconds the sender should come back.
    public let retryAfterSeconds: Int?
    /// Whether the connection ends with it.
    let closes: Bool

    /// Makes an answer.
    public init(status: Int, body: JSONText, retryAfterSeconds: Int? = nil) {
        self.init(status: status, body: body, retryAfterSeconds: retryAfterSeconds, closes: false)
    }

    private init(status: Int, body: JSONText, retryAfterSeconds: Int?, closes: Bool) {
        self.status = status
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
        self.closes = closes
    }

    /// A refusal: a stable code, and in words what was found, what was expected, what to do.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The stable code.
    ///   - detail: The words.
    ///   - closes: Whether the rest of what the sender is sending is not worth reading.
    /// - Returns: The answer.
    static func refusal(_ status: Int, _ reason: String, _ detail: String, closes: Bool = false) -> IngressAnswer {
        IngressAnswer(
            status: status,
            body: .object([
                "status": .string("refused"), "reason": .string(reason), "detail": .string(detail),
            ]),
            retryAfterSeconds: nil,
            closes: closes
        )
    }
}
