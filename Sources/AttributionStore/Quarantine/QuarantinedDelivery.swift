package import Attribution

/// A delivery that was kept without being counted.
package struct QuarantinedDelivery: Sendable {
    /// Its number, never used twice.
    package let id: Int64
    /// Its class.
    package let kind: QuarantineClass
    /// When it was received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64
    /// Whose copy it is.
    package let recipient: Delivery.Recipient
    /// The network of the client that sent it; empty where that is not known.
    package let client: String
    /// Why it is not counted: a code of ``Attribution/PostbackRejection`` or `conflict`.
    package let reason: String
    /// The reason in words.
    package let detail: String
    /// The recorded postback a conflict contradicts.
    package let postbackID: Int64?
    /// The bytes as received.
    package let body: [UInt8]

    /// Takes what a store has of a delivery.
    package init(
        id: Int64,
        kind: QuarantineClass,
        receivedAtMilliseconds: Int64,
        recipient: Delivery.Recipient,
        client: String,
        reason: String,
        detail: String,
        postbackID: Int64?,
        body: [UInt8]
    ) {
        self.id = id
        self.kind = kind
        self.receivedAtMilliseconds = receivedAtMilliseconds
        self.recipient = recipient
        self.client = client
        self.reason = reason
        self.detail = detail
        self.postbackID = postbackID
        self.body = body
    }
}

/// Which of the quarantine is asked for.
package struct QuarantineQuery: Hashable, Sendable {
    /// One class alone.
    package var kind: QuarantineClass?
    /// One reason alone.
    package var reason: String?
    /// One delivery alone.
    package var id: Int64?
    /// Only those with a greater id; goes on where an answer ended.
    package var after: Int64
    /// Only those received before, in Unix milliseconds.
    package var before: Int64?
    /// The most deliveries of one answer.
    package var limit: Int

    /// Makes a query.
    package init(
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
package struct QuarantineTotal: Hashable, Sendable {
    /// The class.
    package let kind: QuarantineClass
    /// The bodies.
    package let count: Int64
    /// Their bytes.
    package let bytes: Int64

    /// Makes a total.
    package init(kind: QuarantineClass, count: Int64, bytes: Int64) {
        self.kind = kind
        self.count = count
        self.bytes = bytes
    }
}
