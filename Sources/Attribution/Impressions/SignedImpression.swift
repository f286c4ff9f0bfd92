package import StrictJSON

/// A signed impression of either framework.
package enum SignedImpression: Hashable, Sendable {
    /// A signed SKAdNetwork impression.
    case skAdNetwork(SignedSKAdNetworkImpression)
    /// A signed AdAttributionKit impression.
    case adAttributionKit(SignedAdAttributionKitImpression)

    /// Writes the signed values, and the parameters for the framework's call.
    package func writeAnswer(to json: inout JSONWriter) {
        switch self {
        case .skAdNetwork(let signed): signed.writeAnswer(to: &json)
        case .adAttributionKit(let signed): signed.writeAnswer(to: &json)
        }
    }
}

/// The signed values of an SKAdNetwork impression in Apple's order, and its signature, under all the names they have.
package enum ImpressionField: String, CaseIterable, Sendable {
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

    /// The name of StoreKit's constant for `loadProduct`; nil for what is not passed on.
    package var storeKitName: String? {
        let name: String? =
            switch self {
            case .version: "AdNetworkVersion"
            case .adNetworkID: "AdNetworkIdentifier"
            case .campaignID: "AdNetworkCampaignIdentifier"
            case .sourceIdentifier: "AdNetworkSourceIdentifier"
            case .itunesItemID: "ITunesItemIdentifier"
            case .nonce: "AdNetworkNonce"
            case .sourceAppID: "AdNetworkSourceAppStoreIdentifier"
            case .timestamp: "AdNetworkTimestamp"
            case .signature: "AdNetworkAttributionSignature"
            case .sourceDomain, .fidelityType: nil
            }
        return name.map { "SKStoreProductParameter" + $0 }
    }

    /// The property of `SKAdImpression`; nil for what it does not have.
    package var propertyName: String? {
        switch self {
        case .version, .timestamp: rawValue
        case .adNetworkID: "adNetworkIdentifier"
        case .campaignID: "adCampaignIdentifier"
        case .sourceIdentifier: "sourceIdentifier"
        case .itunesItemID: "advertisedAppStoreItemIdentifier"
        case .nonce: "adImpressionIdentifier"
        case .sourceAppID: "sourceAppStoreItemIdentifier"
        case .signature: "signature"
        case .sourceDomain, .fidelityType: nil
        }
    }

    /// The name in the answer to the tap on a web ad.
    package var webAdName: String {
        self == .signature ? "signature" : rawValue.replacing("-", with: "_")
    }
}

/// An SKAdNetwork impression with its network's signature, in every format that ad servers pass on.
package struct SignedSKAdNetworkImpression: Hashable, Sendable {
    package let impression: SKAdNetworkImpression
    /// The signature: DER, then standard base64 with padding.
    package let attributionSignature: String

    /// Makes a signed impression; only the signer does, after verifying the signature.
    package init(impression: SKAdNetworkImpression, attributionSignature: String) {
        self.impression = impression
        self.attributionSignature = attributionSignature
    }

    private subscript(field: ImpressionField) -> JSONText? {
        switch (field, impression.campaign, impression.source) {
        case (.version, _, _): .string(impression.version.rawValue)
        case (.adNetworkID, _, _): .string(impression.adNetworkID.text)
        case (.campaignID, .campaignID(let id), _): .integer(id.value)
        case (.sourceIdentifier, .sourceIdentifier(let identifier), _): .integer(identifier.value)
        case (.itunesItemID, _, _): .integer(impression.itunesItemID.value)
        case (.nonce, _, _): .string(impression.nonce.text)
        case (.sourceAppID, _, .app(let id)): .integer(id.value)
        case (.sourceDomain, _, .domain(let domain)): .string(domain.text)
        case (.fidelityType, _, _): (impression.fidelityType?.rawValue).map(JSONText.integer)
        case (.timestamp, _, _): .integer(impression.timestamp.rawValue)
        case (.signature, _, _): .string(attributionSignature)
        case (.campaignID, _, _), (.sourceIdentifier, _, _), (.sourceAppID, _, _), (.sourceDomain, _, _): nil
        }
    }

    /// The values that the impression has, under the names of a format.
    private func members(
        _ fields: [ImpressionField] = ImpressionField.allCases, _ name: (ImpressionField) -> String?
    ) -> [(name: String, value: JSONText)] {
        fields.compactMap { field in
            guard let name = name(field), let value = self[field] else {
                return nil
            }
            return (name, value)
        }
    }

    /// The dictionary for `loadProduct`, which has no version in 1.0.
    var storeKitParameters: [(name: String, value: JSONText)] {
        let fields: [ImpressionField] = [
            .itunesItemID, .adNetworkID, .campaignID, .sourceIdentifier, .sourceAppID, .version, .nonce, .timestamp,
            .signature,
        ]
        return members(fields.filter { $0 != .version || impression.version > .v1_0 }, \.storeKitName)
    }

    /// The properties of `SKAdImpression`.
    var adImpressionProperties: [(name: String, value: JSONText)] {
        members(
            [
                .version, .adNetworkID, .campaignID, .sourceIdentifier, .itunesItemID, .sourceAppID, .nonce, .timestamp,
                .signature,
            ], \.propertyName)
    }

    /// Writes the signed values with Apple's field names, for every form and version.
    package func write(to json: inout JSONWriter) {
        json.object { $0.members(members { $0.rawValue }) }
    }

    /// Writes the dictionary for `SKStoreProductViewController.loadProduct`, keyed by the names of StoreKit's constants.
    ///
    /// - Throws: ``FieldProblem`` for an ad that is not StoreKit-rendered.
    /// - SeeAlso: [Ad network install-validation
    ///   keys](https://developer.apple.com/documentation/storekit/ad-network-install-validation-keys)
    package func writeStoreKitProductParameters(to json: inout JSONWriter) throws(FieldProblem) {
        guard impression.form == .storeKitRendered else {
            throw wrongForm("storekit", expected: "a StoreKit-rendered ad (fidelity 1 in an app)")
        }
        json.object { $0.members(storeKitParameters) }
    }

    /// Writes the properties of `SKAdImpression`, for a view-through ad.
    ///
    /// - Throws: ``FieldProblem`` for an ad of another form.
    /// - SeeAlso: [SKAdImpression](https://developer.apple.com/documentation/storekit/skadimpression)
    package func writeAdImpressionProperties(to json: inout JSONWriter) throws(FieldProblem) {
        guard impression.form == .viewThrough else {
            throw wrongForm("impression", expected: "a view-through ad (version 2.2 or later, fidelity 0)")
        }
        json.object { $0.members(adImpressionProperties) }
    }

    private func wrongForm(_ format: String, expected: String) -> FieldProblem {
        FieldProblem(
            field: "format",
            found: "\(format) for a \(impression.form.rawValue) ad of version \(impression.version.rawValue)",
            expected: expected)
    }

    /// The response to a tap on a web ad: the fields of Apple's example, in its order.
    ///
    /// - Throws: ``FieldProblem`` for an ad of another form.
    /// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
    package func webAdPayload() throws(FieldProblem) -> JSONText {
        guard impression.form == .web else {
            throw FieldProblem(
                field: "source-domain", found: "a \(impression.form.rawValue) ad", expected: "a web ad of version 4.0")
        }
        return .object(members { $0 == .fidelityType ? nil : $0.webAdName }.map { ($0.name, $0.value) })
    }

    /// Writes the signed values, and the parameters of the StoreKit call for the form.
    fileprivate func writeAnswer(to json: inout JSONWriter) {
        json.object { json in
            json.member("form", impression.form.rawValue)
            json.member("version", impression.version.rawValue)
            json.name("impression")
            write(to: &json)
            switch impression.form {
            case .storeKitRendered:
                json.name("store-kit-product-parameters")
                json.object { $0.members(storeKitParameters) }
            case .viewThrough:
                json.name("ad-impression-properties")
                json.object { $0.members(adImpressionProperties) }
            case .web: break
            }
        }
    }
}

/// An AdAttributionKit impression with its network's signature.
package struct SignedAdAttributionKitImpression: Hashable, Sendable {
    package let impression: AdAttributionKitImpression
    /// The compact JWS (RFC 7515), for Apple's `AppImpression(compactJWS:)`.
    package let compactJWS: String

    /// Makes a signed impression; only the signer does, after verifying the signature.
    package init(impression: AdAttributionKitImpression, compactJWS: String) {
        self.impression = impression
        self.compactJWS = compactJWS
    }

    /// Writes the payload with Apple's field names, and the JWS.
    package func write(to json: inout JSONWriter) {
        json.object { writeMembers(to: &$0) }
    }

    private func writeMembers(to json: inout JSONWriter) {
        json.name("impression")
        impression.writePayload(to: &json)
        json.member("compact-jws", compactJWS)
    }

    /// Writes the signed values, and the JWS for the AdAttributionKit call.
    fileprivate func writeAnswer(to json: inout JSONWriter) {
        json.object { json in
            json.member("form", "adattributionkit")
            writeMembers(to: &json)
        }
    }
}
