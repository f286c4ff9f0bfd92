import Attribution

/// The values of a counted postback that go into columns; they equal ``Attribution/ReportDimension/value(of:)`` of each
/// dimension.
struct PostbackFacts {
    let traffic: Traffic
    let recipient: Delivery.Recipient
    let quarter: Int64
    /// The first eight bytes of the key digest.
    let key: UInt64
    /// The value of the transaction column: ``transaction(_:)``.
    let transaction: Int64
    let traits: PostbackTraits
    let network: String
    let app: String
    let country: String
    private(set) var campaignID = ""
    private(set) var sourceIdentifier = ""
    private(set) var sourceApp = ""
    private(set) var sourceDomain = ""
    private(set) var marketplace = ""

    /// Extracts the values of a postback.
    ///
    /// - Parameters:
    ///   - received: A verified or recorded postback.
    ///   - traffic: Which traffic it belongs to.
    ///   - recipient: The recipient of the first copy.
    ///   - receivedAtMilliseconds: When it was received, in Unix milliseconds.
    ///   - key: The digest of its dedupe key.
    init(
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

    /// The value of the transaction column for an id.
    static func transaction(_ id: String) -> Int64 {
        var checksum = Checksum()
        checksum.add(id)
        return Int64(UInt32(truncatingIfNeeded: checksum.value))
    }
}

/// A postback's values in all columns.
struct ColumnRow {
    private var values = InlineArray<14, Int64>(repeating: 0)

    subscript(column: LedgerColumn) -> Int64 {
        get { values[column.rawValue] }
        set { values[column.rawValue] = newValue }
    }

    /// Marks a missing row.
    static let missing = ColumnRow()
}
