/// One POST of a postback, judged.
package struct Delivery: Sendable {
    /// Whose copy it is, by the path it came to.
    package enum Recipient: String, CaseIterable, Hashable, Sendable {
        /// The ad network's copy, sent to the URL given at registration.
        case network
        /// The developer's copy of a winning postback, sent to a well-known path.
        case developer
    }

    /// What reading and verifying made of it.
    package let judgement: Judgement
    /// Whose copy it is.
    package let recipient: Recipient
    /// When it was received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64
    /// The network it came from, an IPv4 address or an IPv6 /64 as text; nil when that is not known.
    package let client: String?

    /// Makes a delivery.
    package init(judgement: Judgement, recipient: Recipient, receivedAtMilliseconds: Int64, client: String? = nil) {
        self.judgement = judgement
        self.recipient = recipient
        self.client = client
        self.receivedAtMilliseconds = receivedAtMilliseconds
    }
}
