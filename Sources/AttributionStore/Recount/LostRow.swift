package import Attribution

/// What is known of a postback whose row is lost and whose bytes verify.
package struct LostRow: Hashable, Sendable {
    /// Its id.
    package let id: Int64
    /// When it was received, in quarters of an hour since 1970-01-01 UTC; nothing tells it more exactly.
    package let quarter: Int64
    /// Whose copy came first.
    package let recipient: Delivery.Recipient
    /// What it was recorded as.
    package let traffic: Traffic
    /// The key that verifies it.
    package let keyName: String

    /// Puts together what is known.
    package init(id: Int64, quarter: Int64, recipient: Delivery.Recipient, traffic: Traffic, keyName: String) {
        self.id = id
        self.quarter = quarter
        self.recipient = recipient
        self.traffic = traffic
        self.keyName = keyName
    }
}
