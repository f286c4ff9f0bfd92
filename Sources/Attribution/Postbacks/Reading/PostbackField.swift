/// The names of a postback's fields as Apple writes them, in either framework.
///
/// - SeeAlso: Identifying the parameters in a postback, of
///   [SKAdNetwork](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback) and of
///   [AdAttributionKit](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package enum PostbackField: String, CaseIterable, Hashable, Sendable {
    /// `version`
    case version
    /// `ad-network-id`
    case adNetworkID = "ad-network-id"
    /// `campaign-id`
    case campaignID = "campaign-id"
    /// `source-identifier`
    case sourceIdentifier = "source-identifier"
    /// `app-id`
    case appID = "app-id"
    /// `transaction-id`
    case transactionID = "transaction-id"
    /// `redownload`
    case redownload
    /// `source-app-id`
    case sourceAppID = "source-app-id"
    /// `source-domain`
    case sourceDomain = "source-domain"
    /// `fidelity-type`
    case fidelityType = "fidelity-type"
    /// `did-win`
    case didWin = "did-win"
    /// `postback-sequence-index`
    case sequenceIndex = "postback-sequence-index"
    /// `conversion-value`
    case conversionValue = "conversion-value"
    /// `coarse-conversion-value`
    case coarseConversionValue = "coarse-conversion-value"
    /// `country-code`
    case countryCode = "country-code"
    /// `attribution-signature`
    case attributionSignature = "attribution-signature"

    /// `jws-string`
    case jwsString = "jws-string"
    /// `ad-interaction-type`
    case adInteractionType = "ad-interaction-type"
    /// `postback-identifier`
    case postbackIdentifier = "postback-identifier"
    /// `ad-network-identifier`
    case adNetworkIdentifier = "ad-network-identifier"
    /// `advertised-item-identifier`
    case advertisedItemIdentifier = "advertised-item-identifier"
    /// `publisher-item-identifier`
    case publisherItemIdentifier = "publisher-item-identifier"
    /// `conversion-type`
    case conversionType = "conversion-type"
    /// `impression-type`
    case impressionType = "impression-type"
    /// `marketplace-identifier`
    case marketplaceIdentifier = "marketplace-identifier"

    /// The fields that a version signs, in the order of the signed text; a postback may lack the sources.
    package static func signed(in version: SKAdNetworkVersion) -> [PostbackField] {
        switch version {
        case .v1_0: [.adNetworkID, .campaignID, .appID, .transactionID]
        case .v2_0, .v2_1:
            [.version, .adNetworkID, .campaignID, .appID, .transactionID, .redownload, .sourceAppID]
        case .v2_2: signed(in: .v2_1) + [.fidelityType]
        case .v3_0: signed(in: .v2_2) + [.didWin]
        case .v4_0:
            [
                .version, .adNetworkID, .sourceIdentifier, .appID, .transactionID, .redownload, .sourceAppID,
                .sourceDomain, .fidelityType, .didWin, .sequenceIndex,
            ]
        }
    }
}
