package import Attribution

/// A delivery that was kept without being counted.
package struct QuarantinedDelivery: Sendable {
    package let id: Int64
    package let kind: QuarantineClass
    /// When it was received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64
    package let recipient: Delivery.Recipient
    /// The IP network of the client that sent it; empty if unknown.
    package let client: String
    /// Why it is not counted: a code of ``Attribution/PostbackRejection`` or `conflict`.
    package let reason: String
    /// The reason as a message.
    package let detail: String
    /// The recorded postback that it contradicts; nil unless it is a conflict.
    package let postbackID: Int64?
    package let body: [UInt8]

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

    /// Its bytes and when they came, to be judged again.
    package var receivedBody: ReceivedBody {
        ReceivedBody(body, receivedAtMilliseconds: receivedAtMilliseconds)
    }

    /// Whether it may be moved to a class when it is judged again: what verified once is never deleted for room, even
    /// when the key that verified it is no longer known.
    package func mayBecome(_ kind: QuarantineClass) -> Bool {
        self.kind != .unknown || kind == .unknown
    }

    /// The delivery with a new judgement.
    package func delivery(judged judgement: Judgement) -> Delivery {
        Delivery(
            judgement: judgement, recipient: recipient, receivedAtMilliseconds: receivedAtMilliseconds,
            client: client.isEmpty ? nil : client)
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

    /// Works through deliveries in pages, as far as the limit.
    ///
    /// - Parameters:
    ///   - size: The most deliveries in a page.
    ///   - work: Takes the query of a page, and returns how many of its deliveries count towards the limit and the id of
    ///     the last one; nil if there are none.
    /// - Returns: How many count.
    package func forEachPage(
        of size: Int, _ work: (QuarantineQuery) throws -> (count: Int64, last: Int64)?
    ) rethrows -> Int64 {
        var page = self
        var count: Int64 = 0
        while count < Int64(limit) {
            page.limit = min(size, limit - Int(count))
            guard let done = try work(page) else {
                break
            }
            count += done.count
            page.after = done.last
        }
        return count
    }
}

/// The number and size of the bodies of a class.
package struct QuarantineTotal: Hashable, Sendable {
    package let kind: QuarantineClass
    package let count: Int64
    package let bytes: Int64

    package init(kind: QuarantineClass, count: Int64, bytes: Int64) {
        self.kind = kind
        self.count = count
        self.bytes = bytes
    }
}

/// The results of requeuing deliveries.
package struct Requeued: Hashable, Sendable {
    /// How many were judged.
    package var judged: Int64 = 0
    /// How many were recorded.
    package var recorded: Int64 = 0
    /// How many are repeats of recorded postbacks.
    package var duplicate: Int64 = 0
    /// How many contradict recorded postbacks.
    package var conflict: Int64 = 0
    /// How many stay in the quarantine, for the same reason or another.
    package var stayed: Int64 = 0

    package init() {}

    /// Counts a delivery that was judged, and what it was recorded as; nil for one that stays.
    package mutating func count(_ recording: Recording?) {
        judged += 1
        switch recording {
        case .recorded: recorded += 1
        case .duplicate: duplicate += 1
        case .conflict: conflict += 1
        case .quarantined, nil: stayed += 1
        }
    }

    /// Adds the results of further deliveries.
    package static func += (lhs: inout Self, rhs: Self) {
        lhs.judged += rhs.judged
        lhs.recorded += rhs.recorded
        lhs.duplicate += rhs.duplicate
        lhs.conflict += rhs.conflict
        lhs.stayed += rhs.stayed
    }
}
