package import Attribution

/// A postback that was counted, with its bytes.
package struct RecordedPostback: Sendable {
    /// The id of its row; ids are dense, in commit order.
    package let id: Int64
    /// When it was recorded, in Unix milliseconds.
    package let recordedAtMilliseconds: Int64
    /// When it was received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64
    /// The recipient of the first copy.
    package let recipient: Delivery.Recipient
    /// Which traffic it belongs to.
    package let traffic: Traffic
    /// The key that verified it.
    package let keyName: String
    /// The bytes as received; nil if they are damaged.
    package var body: [UInt8]?
    /// The ``LedgerPosition/check`` of its position; nil where its digest cannot be read.
    package let check: UInt16?
    /// The digests in its row; nil where they cannot be read, and in a store that has them elsewhere.
    package let digests: PostbackDigests?

    package init(
        id: Int64,
        recordedAtMilliseconds: Int64,
        receivedAtMilliseconds: Int64,
        recipient: Delivery.Recipient,
        traffic: Traffic,
        keyName: String,
        body: [UInt8]?,
        check: UInt16?,
        digests: PostbackDigests? = nil
    ) {
        self.id = id
        self.recordedAtMilliseconds = recordedAtMilliseconds
        self.receivedAtMilliseconds = receivedAtMilliseconds
        self.recipient = recipient
        self.traffic = traffic
        self.keyName = keyName
        self.body = body
        self.check = check
        self.digests = digests
    }

    /// Whether its row is that of bytes with some digests, as far as it tells: damage may give it another one's bytes.
    package func isRow(of digests: PostbackDigests) -> Bool {
        self.digests.map { $0 == digests } ?? (check == digests.key.positionCheck)
    }
}

/// A query for recorded postbacks.
package struct PostbackQuery: Hashable, Sendable {
    /// `transaction-id` or `postback-identifier`, as received.
    package var transactionID: String?
    /// When they were received, in Unix milliseconds.
    package var received: Range<Int64>?
    /// Only postbacks of this traffic; nil for all.
    package var traffic: Traffic?
    /// Only postbacks of these advertised apps; empty for all.
    package var apps: [AppStoreItemID]
    /// Only postbacks with a greater id, to continue after the last page.
    package var after: Int64
    /// The most postbacks to return.
    package var limit: Int

    package init(
        transactionID: String? = nil,
        received: Range<Int64>? = nil,
        traffic: Traffic? = nil,
        apps: [AppStoreItemID] = [],
        after: Int64 = 0,
        limit: Int = 100
    ) {
        self.traffic = traffic
        self.apps = apps
        self.transactionID = transactionID
        self.received = received
        self.after = after
        self.limit = limit
    }
}

extension PostbackQuery {
    /// Whether a postback's bytes are of what was asked for; those that are gone are of no app, and have no transaction
    /// id.
    package func matchesBody(of postback: RecordedPostback) -> Bool {
        guard transactionID != nil || !apps.isEmpty else {
            return true
        }
        guard let received = postback.body.flatMap({ try? ReceivedPostback(reading: $0) }) else {
            return false
        }
        let app = ReportDimension.app.value(of: received)
        return transactionID.map { $0 == received.key.transactionID.text } ?? true
            && (apps.isEmpty || apps.contains { $0.description == app })
    }
}

extension RecordedPostback {
    /// Its bytes and when the first copy came, to be judged again; no bytes if they are gone.
    package var receivedBody: ReceivedBody {
        ReceivedBody(body ?? [], receivedAtMilliseconds: receivedAtMilliseconds)
    }
}
