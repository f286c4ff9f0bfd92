import Attribution

extension ReceivedPostback {
    /// All signed fields by name, in which two postbacks with the same signed text must not differ.
    var signedStatement: [String: String] {
        var statement: [PostbackField: String?] =
            switch self {
            case .skAdNetwork(let postback): postback.signedValues
            case .adAttributionKit(let postback): postback.signedValues
            }
        statement[.didWin] = didWin.map { "\($0)" }
        return Dictionary(
            uniqueKeysWithValues: statement.compactMap { field, value in
                value.map { (field.rawValue, $0) }
            })
    }
}

extension SKAdNetworkPostback {
    fileprivate var signedValues: [PostbackField: String?] {
        var values: [PostbackField: String?] = [
            .version: version.rawValue, .adNetworkID: adNetworkID.text, .appID: "\(appID)",
            .transactionID: transactionID.text, .fidelityType: fidelityType.map { "\($0.rawValue)" },
            .sequenceIndex: sequenceIndex.map { "\($0)" },
            .redownload: version > .v1_0 ? isRedownload.map { "\($0)" } : nil,
        ]
        switch campaign {
        case .campaignID(let number): values[.campaignID] = "\(number)"
        case .sourceIdentifier(let identifier): values[.sourceIdentifier] = identifier.digits
        }
        switch source {
        case .app(let id): values[.sourceAppID] = "\(id)"
        case .domain(let domain): values[.sourceDomain] = domain.text
        case nil: break
        }
        return values
    }
}

extension AdAttributionKitPostback {
    fileprivate var signedValues: [PostbackField: String?] {
        [
            .postbackIdentifier: postbackIdentifier.text, .adNetworkIdentifier: adNetworkID.text,
            .advertisedItemIdentifier: "\(advertisedItemID)",
            .publisherItemIdentifier: publisherItemID.map { "\($0)" },
            .sourceIdentifier: sourceIdentifier.digits, .conversionType: conversionType.rawValue,
            .impressionType: impressionType.text, .marketplaceIdentifier: marketplaceIdentifier?.text,
            .sequenceIndex: "\(sequenceIndex)",
        ]
    }
}
