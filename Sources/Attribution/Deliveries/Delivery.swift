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

    /// Makes a delivery.
    package init(judgement: Judgement, recipient: Recipient, receivedAtMilliseconds: Int64, client: String? = nil) {
        self.judgement = judgement
        self.recipient = recipient
        self.client = client
        self.receivedAtMilliseconds = receivedAtMilliseconds
    }
}
