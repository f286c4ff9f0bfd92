package import StrictJSON

/// The names of a postback's fields as Apple writes them, in either framework.
///
/// - SeeAlso: Identifying the parameters in a postback, of
///   [SKAdNetwork](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback) and of
///   [AdAttributionKit](https://developer.apple.com/documentation/adattributionkit/identifying-the-parameters-in-a-postback)
package enum PostbackField: String, CaseIterable, Hashable, Sendable {
    case version
    case adNetworkID = "ad-network-id"
    case campaignID = "campaign-id"
    case sourceIdentifier = "source-identifier"
    case appID = "app-id"
    case transactionID = "transaction-id"
    case redownload
    case sourceAppID = "source-app-id"
    case sourceDomain = "source-domain"
    case fidelityType = "fidelity-type"
    case didWin = "did-win"
    case sequenceIndex = "postback-sequence-index"
    case conversionValue = "conversion-value"
    case coarseConversionValue = "coarse-conversion-value"
    case countryCode = "country-code"
    case attributionSignature = "attribution-signature"

    case jwsString = "jws-string"
    case adInteractionType = "ad-interaction-type"
    case postbackIdentifier = "postback-identifier"
    case adNetworkIdentifier = "ad-network-identifier"
    case advertisedItemIdentifier = "advertised-item-identifier"
    case publisherItemIdentifier = "publisher-item-identifier"
    case conversionType = "conversion-type"
    case impressionType = "impression-type"
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

extension [JSONField] {
    /// The value of one of Apple's fields; setting nil removes it, and a new field is appended.
    package subscript(field: PostbackField) -> JSONValue? {
        get {
            first { $0.name == field.rawValue }?.value
        }
        set {
            let index = firstIndex { $0.name == field.rawValue }
            switch (index, newValue) {
            case (let index?, let value?): self[index] = JSONField(name: field.rawValue, value: value)
            case (let index?, nil): remove(at: index)
            case (nil, let value?): append(JSONField(name: field.rawValue, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONValue {
    package var text: JSONText {
        switch self {
        case .string(let text): .string(text)
        case .integer(let value): .integer(value)
        case .bool(let value): .bool(value)
        case .null: .null
        // No field of Apple's has such a value; readers refuse one written as a string.
        case .number(let text), .nested(let text): .string(text)
        }
    }
}
