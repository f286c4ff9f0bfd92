/// The signed fields of an SKAdNetwork impression, and its signature, under all the names that they have.
enum ImpressionField: String, CaseIterable {
    case version
    case adNetworkID = "ad-network-id"
    case campaignID = "campaign-id"
    case sourceIdentifier = "source-identifier"
    case itunesItemID = "itunes-item-id"
    case nonce
    case sourceAppID = "source-app-id"
    case sourceDomain = "source-domain"
    case fidelityType = "fidelity-type"
    case timestamp
    case signature = "attribution-signature"

    /// The field with a name: Apple's, that of a web ad, of StoreKit's constant or of a property of `SKAdImpression`.
    init?(name: String) {
        guard let field = Self.byName[name] else {
            return nil
        }
        self = field
    }

    private static let byName: [String: ImpressionField] = {
        var fields: [String: ImpressionField] = ["signature": .signature]
        for field in allCases {
            fields[field.rawValue] = field
            fields[field.rawValue.replacing("-", with: "_")] = field
            for name in field.otherNames {
                fields[name] = field
            }
        }
        return fields
    }()

    private var otherNames: [String] {
        switch self {
        case .version: ["SKStoreProductParameterAdNetworkVersion"]
        case .adNetworkID: ["SKStoreProductParameterAdNetworkIdentifier", "adNetworkIdentifier"]
        case .campaignID: ["SKStoreProductParameterAdNetworkCampaignIdentifier", "adCampaignIdentifier"]
        case .sourceIdentifier: ["SKStoreProductParameterAdNetworkSourceIdentifier", "sourceIdentifier"]
        case .itunesItemID: ["SKStoreProductParameterITunesItemIdentifier", "advertisedAppStoreItemIdentifier"]
        case .nonce: ["SKStoreProductParameterAdNetworkNonce", "adImpressionIdentifier"]
        case .sourceAppID:
            ["SKStoreProductParameterAdNetworkSourceAppStoreIdentifier", "sourceAppStoreItemIdentifier"]
        case .sourceDomain, .fidelityType: []
        case .timestamp: ["SKStoreProductParameterAdNetworkTimestamp"]
        case .signature: ["SKStoreProductParameterAdNetworkAttributionSignature"]
        }
    }

    /// The type in which an ad server passes it on.
    var wireType: WireType {
        switch self {
        case .version: .version
        case .adNetworkID, .nonce, .sourceDomain, .signature: .string
        case .campaignID, .sourceIdentifier, .itunesItemID, .sourceAppID, .fidelityType, .timestamp: .integer
        }
    }
}
