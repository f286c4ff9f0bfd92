/// One POST of a postback, judged.
public struct Delivery: Sendable {
    /// Whose copy it is, by the path it came to.
    public enum Recipient: String, CaseIterable, Hashable, Sendable {
        /// The ad network's copy, sent to the URL given at registration.
        case network
        /// The developer's copy of a winning postback, sent to a well-known path.
        case developer
    }

    /// What reading and verifying made of it.
    public let judgement: Judgement
    /// Whose copy it is.
    public let recipient: Recipient
    /// When it was received, in Unix milliseconds.
    public let receivedAtMilliseconds: Int64
    /// The network it came from, an IPv4 address or an IPv6 /64 as text; nil when that is not known.
    public let client: String?

    /// Makes a delivery.
    public init(judgement: Judgement, recipient: Recipient, receivedAtMilliseconds: Int64, client: String? = nil) {
        self.judgement = judgement
        self.recipient = recipient
        self.client = client
        self.receivedAtMilliseconds = receivedAtMilliseconds
    }
}
