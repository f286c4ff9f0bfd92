import Attribution
import StrictJSON

extension PostbackField {
    /// The JSON type that Apple documents.
    var type: MemberType {
        switch self {
        case .campaignID, .appID, .sourceAppID, .fidelityType, .sequenceIndex, .conversionValue,
            .advertisedItemIdentifier, .publisherItemIdentifier:
            .number
        case .redownload, .didWin: .boolean
        case .version, .adNetworkID, .sourceIdentifier, .transactionID, .sourceDomain, .coarseConversionValue,
            .countryCode, .attributionSignature, .jwsString, .adInteractionType, .postbackIdentifier,
            .adNetworkIdentifier, .conversionType, .impressionType, .marketplaceIdentifier:
            .string
        }
    }

    /// The members of an AdAttributionKit body; all others are in the signed payload.
    static let besideJWS: Set<PostbackField> = [
        .jwsString, .conversionValue, .coarseConversionValue, .adInteractionType, .countryCode,
    ]

    /// The members that a version of SKAdNetwork may have.
    static func members(of version: SKAdNetworkVersion) -> Set<PostbackField> {
        var members = Set(signed(in: version))
        members.formUnion([.version, .redownload, .conversionValue, .countryCode, .attributionSignature])
        if version >= .v4_0 { members.insert(.coarseConversionValue) }
        return members
    }

    /// The members of all versions of SKAdNetwork that receivers know, in the order of Apple's page; those that a
    /// postback lacks are filled with `null`.
    static let filled: [PostbackField] = [
        .version, .adNetworkID, .campaignID, .sourceIdentifier, .appID, .transactionID, .redownload, .sourceAppID,
        .sourceDomain, .fidelityType, .didWin, .sequenceIndex, .conversionValue, .coarseConversionValue,
        .attributionSignature,
    ]
}

extension ReceivedPostback {
    /// The members of its body that Apple documents for its version, as received and in that order.
    ///
    /// Anyone can add members to a body, and give those that Apple does not sign any value: one of another type than
    /// Apple's is not Apple's either.
    var appleMembers: [JSONField] {
        let (fields, members) =
            switch self {
            case .skAdNetwork(let postback): (postback.fields, PostbackField.members(of: postback.version))
            case .adAttributionKit(let postback):
                ((try? JSONObject(reading: postback.body))?.fields ?? [], PostbackField.besideJWS)
            }
        return fields.filter { member in
            guard let field = PostbackField(rawValue: member.name), members.contains(field) else { return false }
            return member.value == .null || field.type.accepts(member.value)
        }
    }
}

extension [JSONField] {
    /// A JSON object of these members, on one line.
    var json: [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                for field in self {
                    json.name(field.name)
                    field.value.text.write(to: &json)
                }
            }
        }
    }
}
