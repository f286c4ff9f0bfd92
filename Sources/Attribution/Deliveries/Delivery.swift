/// A body, and when it was first received, which decides the keys that may verify it.
package struct ReceivedBody: Sendable {
    /// The bytes as received.
    package let bytes: [UInt8]
    /// When it was first received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64

    package init(_ bytes: [UInt8], receivedAtMilliseconds: Int64) {
        self.bytes = bytes
        self.receivedAtMilliseconds = receivedAtMilliseconds
    }
}

/// A received postback request with its judgement.
package struct Delivery: Sendable {
    /// Whose copy it is, by the path of the request.
    package enum Recipient: String, CaseIterable, Hashable, Sendable {
        /// The ad network's copy, sent to the URL given at registration.
        case network
        /// The developer's copy of a winning postback, sent to a well-known path.
        case developer
    }

    /// The result of reading and verifying it.
    package let judgement: Judgement
    /// Whose copy it is.
    package let recipient: Recipient
    /// When it was received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64
    /// The client's IPv4 address or IPv6 /64 network as text; nil if unknown.
    package let client: String?

    package init(judgement: Judgement, recipient: Recipient, receivedAtMilliseconds: Int64, client: String? = nil) {
        self.judgement = judgement
        self.recipient = recipient
        self.client = client
        self.receivedAtMilliseconds = receivedAtMilliseconds
    }
}

/// The result of reading and verifying a body.
package enum Judgement: Sendable {
    /// The signature verifies.
    case verified(VerifiedPostback)
    /// It is not a postback, or not a genuine one.
    case rejected(PostbackRejection, body: [UInt8])
    /// Verification failed without a result; nothing may be recorded.
    case undecided(reason: String, body: [UInt8])
}

/// The outcome of recording a delivery; durable when it is returned.
package enum Recording: Hashable, Sendable {
    /// The first verified copy: counted.
    case recorded(Traffic)
    /// A repeat of a recorded postback: not counted again.
    case duplicate(Traffic)
    /// A copy of a recorded postback that differs in its unsigned fields: not counted; its bytes are kept unless the
    /// quarantine is full.
    case conflict(Traffic, isKept: Bool = true)
    /// Not a genuine postback: not counted; its bytes are kept unless the quarantine is full.
    case quarantined(PostbackRejection, isKept: Bool = true)

    /// The status in answers and stores.
    package enum Status: String, CaseIterable, Hashable, Sendable {
        case recorded
        case duplicate
        case conflict
        case quarantined
    }

    /// The status in answers and stores.
    package var status: Status {
        switch self {
        case .recorded: .recorded
        case .duplicate: .duplicate
        case .conflict: .conflict
        case .quarantined: .quarantined
        }
    }

    /// Whether the bytes of this delivery, or of an earlier one with the same content, are in the store.
    package var isKept: Bool {
        switch self {
        case .recorded, .duplicate: true
        case .conflict(_, let isKept), .quarantined(_, let isKept): isKept
        }
    }
}
