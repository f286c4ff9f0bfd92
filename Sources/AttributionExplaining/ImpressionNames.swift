import Attribution
import StrictJSON

extension ImpressionField {
    /// The field with a name: Apple's, that of a web ad, of StoreKit's constant or its value, or of a property of
    /// `SKAdImpression`.
    init?(name: String) {
        guard let field = Self.byName[name] else {
            return nil
        }
        self = field
    }

    private static let byName: [String: ImpressionField] = {
        var fields = storeKitKeys
        for field in allCases {
            for name in [field.rawValue, field.webAdName, field.storeKitName, field.propertyName] {
                if let name { fields[name] = field }
            }
        }
        fields["attribution_signature"] = .signature
        return fields
    }()

    /// The values of StoreKit's constants, which are the keys of the dictionary for `loadProduct`.
    private static let storeKitKeys: [String: ImpressionField] = [
        "adNetworkPayloadVersion": .version, "adNetworkId": .adNetworkID, "adNetworkCampaignId": .campaignID,
        "adNetworkSourceIdentifier": .sourceIdentifier, "adNetworkNonce": .nonce,
        "adNetworkSourceAppStoreIdentifier": .sourceAppID, "adNetworkImpressionTimestamp": .timestamp,
        "adNetworkTimestamp": .timestamp, "adNetworkAttributionSignature": .signature,
    ]

    /// Whether only StoreKit's dictionary has this name.
    static func isStoreKitKey(_ name: String) -> Bool {
        storeKitKeys[name] != nil && name != "adNetworkId"
    }

    /// The fields that have no name of Apple's: in OpenRTB, in another spelling, or under a short name.
    static func otherNames(in fields: [JSONField]) -> [(ImpressionField, JSONValue)] {
        let hasStoreKitKey = fields.contains { isStoreKitKey($0.name) }
        return fields.compactMap { field in
            let isItem = hasStoreKitKey && field.name == "id"
            return (isItem ? .itunesItemID : byFoldedName[FieldNames.folded(field.name)]).map { ($0, field.value) }
        }
    }

    private static let byFoldedName: [String: ImpressionField] = {
        var fields: [String: ImpressionField] = [
            "network": .adNetworkID, "networkid": .adNetworkID, "adnetwork": .adNetworkID, "campaign": .campaignID,
            "sourceid": .sourceIdentifier, "itunesitem": .itunesItemID, "itunesid": .itunesItemID,
            "sourceapp": .sourceAppID, "fidelity": .fidelityType,
        ]
        for (name, field) in byName {
            fields[FieldNames.folded(name)] = field
        }
        return fields
    }()

    /// A value that Apple accepts, to go on checking the others.
    func example(in version: SKAdNetworkVersion) -> JSONValue {
        switch self {
        case .version: .string(version.rawValue)
        case .adNetworkID: .string("example123.skadnetwork")
        case .campaignID, .sourceIdentifier, .itunesItemID, .sourceAppID, .fidelityType: .integer(1)
        case .nonce: .string("68483ef6-0678-40df-859b-1b8f3f2d7b21")
        case .sourceDomain: .string("example.com")
        case .timestamp: .integer(1_676_057_605_705)
        case .signature: .string("AA==")
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
