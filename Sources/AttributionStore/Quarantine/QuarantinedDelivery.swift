package import Attribution

/// A delivery that was kept without being counted.
package struct QuarantinedDelivery: Sendable {
    /// Its id, which is never reused.
    package let id: Int64
    /// Its class.
    package let kind: QuarantineClass
    /// When it was received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64
    /// The recipient of this copy.
    package let recipient: Delivery.Recipient
    /// The IP network of the client that sent it; empty if unknown.
    package let client: String
    /// Why it is not counted: a code of ``Attribution/PostbackRejection`` or `conflict`.
    package let reason: String
    /// The reason as a message.
    package let detail: String
    /// The recorded postback that it contradicts; nil unless it is a conflict.
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

/// A query for quarantined deliveries.
package struct QuarantineQuery: Hashable, Sendable {
    /// Only this class; nil for all.
    package var kind: QuarantineClass?
    /// Only this reason; nil for all.
    package var reason: String?
    /// Only this delivery; nil for all.
    package var id: Int64?
    /// Only deliveries with a greater id, to continue after the last page.
    package var after: Int64
    /// Only deliveries received before this time, in Unix milliseconds; nil for all.
    package var before: Int64?
    /// The most deliveries to return.
    package var limit: Int

    /// Creates a query.
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

/// The number and size of the bodies of a class.
package struct QuarantineTotal: Hashable, Sendable {
    /// The class.
    package let kind: QuarantineClass
    /// The number of bodies.
    package let count: Int64
    /// Their size in bytes.
    package let bytes: Int64

    /// Makes a total.
    package init(kind: QuarantineClass, count: Int64, bytes: Int64) {
        self.kind = kind
        self.count = count
        self.bytes = bytes
    }
}
