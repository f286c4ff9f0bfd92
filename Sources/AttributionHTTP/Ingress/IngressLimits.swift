/// What a sender may take of the server's time and memory.
public struct IngressLimits: Hashable, Sendable {
    /// The longest body in bytes; a postback has about 500.
    public var bodyBytes = 16_384
    /// The longest head in bytes, request line and fields together.
    public var headBytes = 16_384
    /// The most header fields.
    public var headFields = 64
    /// How long a head may take from its first byte, or from the connection's first moment.
    public var headTime: Duration = .seconds(5)
    /// How long a whole request may take from its first byte.
    public var requestTime: Duration = .seconds(10)
    /// How long a sender may take to read an answer.
    public var answerTime: Duration = .seconds(10)
    /// How long a connection may be silent between requests.
    public var idleTime: Duration = .seconds(60)
    /// How many requests one connection may carry.
    public var requestsPerConnection = 10_000
    /// The most connections.
    public var connections = 4_096
    /// The most connections from one address.
    public var connectionsPerAddress = 512
    /// How long what was accepted may take to be answered after the order to stop.
    public var stopTime: Duration = .seconds(4)

    /// The limits of production.
    public init() {}
}
