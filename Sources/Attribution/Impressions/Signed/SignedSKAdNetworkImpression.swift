package import StrictJSON

/// An SKAdNetwork impression with its network's signature, in every format that ad servers pass on.
package struct SignedSKAdNetworkImpression: Hashable, Sendable {
    /// The impression.
    package let impression: SKAdNetworkImpression
    /// The signature: DER, then standard base64 with padding.
    package let attributionSignature: String

    /// Makes a signed impression; only the signer does, after verifying the signature.
    package init(impression: SKAdNetworkImpression, attributionSignature: String) {
        self.impression = impression
        self.attributionSignature = attributionSignature
    }

    /// The signed values with Apple's field names, for every form and version.
    package var json: JSONText {
        var members: [(String, JSONText)] = [
            ("version", .string(impression.version.rawValue)),
            ("ad-network-id", .string(impression.adNetworkID.text)),
        ]
        switch impression.campaign {
        case .campaignID(let id): members.append(("campaign-id", .integer(id.value)))
        case .sourceIdentifier(let id): members.append(("source-identifier", .integer(id.value)))
        }
        members.append(("itunes-item-id", .integer(impression.itunesItemID.value)))
        members.append(("nonce", .string(impression.nonce.text)))
        switch impression.source {
        case .app(let id): members.append(("source-app-id", .integer(id.value)))
        case .domain(let domain): members.append(("source-domain", .string(domain.text)))
        case nil: break
        }
        if let fidelity = impression.fidelityType {
            members.append(("fidelity-type", .integer(fidelity.rawValue)))
        }
        members.append(("timestamp", .integer(impression.timestamp.rawValue)))
        members.append(("attribution-signature", .string(attributionSignature)))
        return .object(members)
    }

    /// The dictionary for `SKStoreProductViewController.loadProduct`, keyed by the names of StoreKit's constants.
    ///
    /// - Throws: ``FieldProblem`` for an ad that is not StoreKit-rendered.
    /// - SeeAlso: [Ad network install-validation
    ///   keys](https://developer.apple.com/documentation/storekit/ad-network-install-validation-keys)
    package func storeKitProductParameters() throws(FieldProblem) -> JSONText {
        guard impression.form == .storeKitRendered else {
            throw wrongForm("storekit", expected: "a StoreKit-rendered ad (fidelity 1 in an app)")
        }
        let prefix = "SKStoreProductParameter"
        var members: [(String, JSONText)] = [
            (prefix + "ITunesItemIdentifier", .integer(impression.itunesItemID.value)),
            (prefix + "AdNetworkIdentifier", .string(impression.adNetworkID.text)),
        ]
        switch impression.campaign {
        case .campaignID(let id):
            members.append((prefix + "AdNetworkCampaignIdentifier", .integer(id.value)))
        case .sourceIdentifier(let id):
            members.append((prefix + "AdNetworkSourceIdentifier", .integer(id.value)))
        }
        if case .app(let id) = impression.source {
            members.append((prefix + "AdNetworkSourceAppStoreIdentifier", .integer(id.value)))
        }
        if impression.version > .v1_0 {
            members.append((prefix + "AdNetworkVersion", .string(impression.version.rawValue)))
        }
        members.append((prefix + "AdNetworkNonce", .string(impression.nonce.text)))
        members.append((prefix + "AdNetworkTimestamp", .integer(impression.timestamp.rawValue)))
        members.append((prefix + "AdNetworkAttributionSignature", .string(attributionSignature)))
        return .object(members)
    }

    /// The properties of `SKAdImpression`, for a view-through ad.
    ///
    /// - Throws: ``FieldProblem`` for an ad of another form.
    /// - SeeAlso: [SKAdImpression](https://developer.apple.com/documentation/storekit/skadimpression)
    package func adImpressionProperties() throws(FieldProblem) -> JSONText {
        guard impression.form == .viewThrough, case .app(let source) = impression.source else {
            throw wrongForm("impression", expected: "a view-through ad (version 2.2 or later, fidelity 0)")
        }
        var members: [(String, JSONText)] = [
            ("version", .string(impression.version.rawValue)),
            ("adNetworkIdentifier", .string(impression.adNetworkID.text)),
        ]
        switch impression.campaign {
        case .campaignID(let id): members.append(("adCampaignIdentifier", .integer(id.value)))
        case .sourceIdentifier(let id): members.append(("sourceIdentifier", .integer(id.value)))
        }
        members.append(("advertisedAppStoreItemIdentifier", .integer(impression.itunesItemID.value)))
        members.append(("sourceAppStoreItemIdentifier", .integer(source.value)))
        members.append(("adImpressionIdentifier", .string(impression.nonce.text)))
        members.append(("timestamp", .integer(impression.timestamp.rawValue)))
        members.append(("signature", .string(attributionSignature)))
        return .object(members)
    }

    private func wrongForm(_ format: String, expected: String) -> FieldProblem {
        FieldProblem(
            field: "format",
            found: "\(format) for a \(impression.form.rawValue) ad of version "
                + impression.version.rawValue, expected: expected)
    }
}
