package import Attribution

/// What the columns keep of a counted postback: the value of each dimension, as
/// ``Attribution/ReportDimension/value(of:)`` has it one by one.
package struct PostbackFacts: Sendable {
    /// Which numbers it enters.
    package let traffic: Traffic
    /// Whose copy came first.
    package let recipient: Delivery.Recipient
    /// When it was received, in quarters of an hour since 1970-01-01 UTC.
    package let quarter: Int64
    /// The first eight bytes of the key digest.
    package let key: UInt64
    /// What the column of transactions has: ``transaction(_:)``.
    package let transaction: Int64
    /// What it counts as, and its dimensions of few values.
    package let traits: PostbackTraits
    /// The other dimensions, as reports show them; empty where it carries none.
    package let network: String
    package let app: String
    package let country: String
    package private(set) var campaignID = ""
    package private(set) var sourceIdentifier = ""
    package private(set) var sourceApp = ""
    package private(set) var sourceDomain = ""
    package private(set) var marketplace = ""

    /// Extracts the values of a postback.
    ///
    /// - Parameters:
    ///   - received: A verified or recorded postback.
    ///   - traffic: Which traffic it belongs to.
    ///   - recipient: The recipient of the first copy.
    ///   - receivedAtMilliseconds: When it was received, in Unix milliseconds.
    ///   - key: The digest of its dedupe key.
    package init(
        _ received: ReceivedPostback,
        traffic: Traffic,
        recipient: Delivery.Recipient,
        receivedAtMilliseconds: Int64,
        key: Digest16
    ) {
        self.traffic = traffic
        self.recipient = recipient
        self.key = key.high
        quarter = receivedAtMilliseconds.quarterOfAnHour
        // Unwrapped once: each access through the enum would retain and release a dozen references.
        switch received {
        case .skAdNetwork(let postback):
            traits = PostbackTraits(postback)
            transaction = Self.transaction(postback.transactionID.text)
            network = postback.adNetworkID.text
            app = postback.appID.description
            country = postback.countryCode?.text ?? ""
            switch postback.campaign {
            case .campaignID(let number): campaignID = String(number)
            case .sourceIdentifier(let identifier): sourceIdentifier = identifier.digits
            }
            switch postback.source {
            case .app(let id)?: sourceApp = id.description
            case .domain(let domain)?: sourceDomain = domain.text
            case nil: break
            }
        case .adAttributionKit(let postback):
            traits = PostbackTraits(postback)
            transaction = Self.transaction(postback.postbackIdentifier.text)
            network = postback.adNetworkID.text
            app = postback.advertisedItemID.description
            country = postback.countryCode?.text ?? ""
            sourceIdentifier = postback.sourceIdentifier.digits
            sourceApp = postback.publisherItemID?.description ?? ""
            marketplace = postback.marketplaceIdentifier?.text ?? ""
        }
    }

    /// What the column of transactions holds for an id.
    package static func transaction(_ id: String) -> Int64 {
        var checksum = Checksum()
        checksum.add(id)
        return Int64(UInt32(truncatingIfNeeded: checksum.value))
    }
}
