/// A postback of AdAttributionKit that was read strictly; nothing is proved yet.
///
/// - SeeAlso: [Identifying the parameters in a
///   postback](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
public struct AdAttributionKitPostback: Hashable, Sendable {
    /// The body exactly as received.
    public let body: [UInt8]
    /// `jws-string`, taken apart.
    public let jws: CompactJWS
    /// `kid`: whose key must verify it.
    public let keyID: PostbackKeyID
    /// `postback-identifier`, by which repeats are discarded; signed.
    public let postbackIdentifier: TransactionID
    /// `ad-network-identifier`; signed.
    public let adNetworkID: AdNetworkID
    /// `advertised-item-identifier`, 0 for an app installed by Xcode; signed.
    public let advertisedItemID: AppStoreItemID
    /// `publisher-item-identifier`, the app that showed the ad, 0 in development; signed, highest data tier only.
    public let publisherItemID: AppStoreItemID?
    /// `source-identifier`, two to four digits; signed.
    public let sourceIdentifier: SourceIdentifier
    /// `conversion-type`; signed.
    public let conversionType: ConversionType
    /// `impression-type`; signed.
    public let impressionType: ImpressionType
    /// `marketplace-identifier`, left out at the lowest data tier; signed.
    public let marketplaceIdentifier: MarketplaceIdentifier?
    /// `did-win`; signed.
    public let didWin: Bool
    /// `postback-sequence-index`, 0, 1 or 2; signed.
    public let sequenceIndex: Int64
    /// `conversion-value` or `coarse-conversion-value`; **not signed**.
    public let conversion: Conversion
    /// `ad-interaction-type`; **not signed**.
    public let adInteractionType: AdInteractionType?
    /// `country-code`, highest data tier only; **not signed**.
    public let countryCode: CountryCode?

    /// The fields of the body beside `jws-string`, in order; **not signed**.
    ///
    /// Read from the body each time, for few ask: most postbacks are counted and dropped.
    public var unprovenFields: [JSONField] {
        // What was read once can be read again, here and below.
        let fields = (try? JSONObject(reading: body))?.fields ?? []
        return fields.filter { $0.name != PostbackField.jwsString.rawValue }
    }

    /// Every field of the signed payload, in order; those unknown here too.
    ///
    /// Read from the payload each time.
    public var signedFields: [JSONField] {
        (try? JSONObject(reading: jws.payload))?.fields ?? []
    }

    /// What it says beside its signature; a name on both sides stays two statements.
    var statements: [Set<JSONField>] {
        [Set(signedFields), Set(unprovenFields)]
    }
}
