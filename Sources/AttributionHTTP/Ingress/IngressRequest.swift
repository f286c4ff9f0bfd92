/// A whole request that passed the ingress' own checks.
public struct IngressRequest: Sendable {
    /// The path it came to.
    public let route: IngressRoute
    /// The body as received.
    public let body: [UInt8]
    /// When its last byte was received, in Unix milliseconds.
    public let receivedAtMilliseconds: Int64
}
