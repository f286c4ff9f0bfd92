public import Attribution

/// A delivery that was kept without being counted.
public struct QuarantinedDelivery: Sendable {
    /// Its number, never used twice.
    public let id: Int64
    /// Its class.
    public let kind: QuarantineClass
    /// When it was received, in Unix milliseconds.
    public let receivedAtMilliseconds: Int64
    /// Whose copy it is.
    public let recipient: Delivery.Recipient
    /// The network of the client that sent it; empty where that is not known.
    public let client: String
    /// Why it is not counted: a code of ``Attribution/PostbackRejection`` or `conflict`.
    public let reason: String
    /// The reason in words.
    public let detail: String
    /// The recorded postback a conflict contradicts.
    public let postbackID: Int64?
    /// The bytes as received.
    public let body: [UInt8]
}

/// Which of the quarantine is asked for.
public struct QuarantineQuery: Hashable, Sendable {
    /// One class alone.
    public var kind: QuarantineClass?
    /// One reason alone.
    public var reason: String?
    /// One delivery alone.
    public var id: Int64?
    /// Only those with a greater id; goes on where an answer ended.
    public var after: Int64
    /// Only those received before, in Unix milliseconds.
    public var before: Int64?
    /// The most deliveries of one answer.
    public var limit: Int

    /// Makes a query.
    public init(
        kind: QuarantineClass? = nil,
        reason: String? = nil,
        id: Int64? = nil,
        after: Int64 = 0,
        before: Int64? = nil,
        limit: Int = 100
    ) {
        self.kind = kind
        self.reason = reason
        self.id = id
        self.after = after
        self.before = before
        self.limit = limit
    }
}

/// How many bodies of a class there are, and how many bytes.
public struct QuarantineTotal: Hashable, Sendable {
    /// The class.
    public let kind: QuarantineClass
    /// The bodies.
    public let count: Int64
    /// Their bytes.
    public let bytes: Int64
}
