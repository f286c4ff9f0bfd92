package import Attribution

/// What is known of a postback whose row is lost and whose bytes verify.
package struct LostRow: Hashable, Sendable {
    /// What says when and for whom it came.
    package enum Source: Hashable, Sendable {
        /// The row itself, which no table leads to, or under another id.
        case row
        /// Its block of columns, with the time rounded down to a quarter of an hour.
        case columns
        /// The only delivery that was counted and can be its own, with the time rounded down likewise.
        case count
    }

    /// Its id.
    package let id: Int64
    /// When it was received, in Unix milliseconds, as exactly as the source tells.
    package let receivedAtMilliseconds: Int64
    /// When it was recorded, in Unix milliseconds; nil if nothing tells.
    package let recordedAtMilliseconds: Int64?
    /// Whose copy came first.
    package let recipient: Delivery.Recipient
    /// What it was recorded as.
    package let traffic: Traffic
    /// The key that verifies it.
    package let keyName: String
    /// What says so.
    package let source: Source

    /// Puts together what is known.
    package init(
        id: Int64, receivedAtMilliseconds: Int64, recordedAtMilliseconds: Int64? = nil, recipient: Delivery.Recipient,
        traffic: Traffic, keyName: String, source: Source
    ) {
        self.id = id
        self.receivedAtMilliseconds = receivedAtMilliseconds
        self.recordedAtMilliseconds = recordedAtMilliseconds
        self.recipient = recipient
        self.traffic = traffic
        self.keyName = keyName
        self.source = source
    }
}

extension LostRow: CustomStringConvertible {
    /// How it is rebuilt.
    package var description: String {
        let how =
            switch source {
            case .row: "puts it back as it was"
            case .columns: "rebuilds it with the time rounded down to a quarter of an hour"
            case .count:
                "rebuilds it with the recipient and the quarter of an hour of the only counted delivery that can be its own"
            }
        return "postback \(id): its row is missing; its bytes verify, and a repair \(how)"
    }
}
