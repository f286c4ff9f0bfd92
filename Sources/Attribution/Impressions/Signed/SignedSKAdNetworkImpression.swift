package import StrictJSON

/// An SKAdNetwork impression with its network's signature, in every format that ad servers pass on.
package struct SignedSKAdNetworkImpression: Hashable, Sendable {
    /// The impression.
    package let impression: SKAdNetworkImpression
    /// The signature: DER, then standard base64 with padding.
    package let attributionSignature: String

    /// The most members that one of its formats has.
    private static let mostMembers = 10

    /// Makes a signed impression; only the signer does, after verifying the signature.
    package init(impression: SKAdNetworkImpression, attributionSignature: String) {
        self.impression = impression
        self.attributionSignature = attributionSignature
    }

    /// The signed values with Apple's field names, for every form and version.
    package var json: JSONText {
        var members: [JSONText.Member] = [
            .init("version", .string(impression.version.rawValue)),
            .init("ad-network-id", .string(impression.adNetworkID.text)),
        ]
        members.reserveCapacity(Self.mostMembers)
        switch impression.campaign {
        case .campaignID(let id): members.append(.init("campaign-id", .integer(id.value)))
        case .sourceIdentifier(let id): members.append(.init("source-identifier", .integer(id.value)))
        }
        members.append(.init("itunes-item-id", .integer(impression.itunesItemID.value)))
        members.append(.init("nonce", .string(impression.nonce.text)))
        switch impression.source {
        case .app(let id): members.append(.init("source-app-id", .integer(id.value)))
        case .domain(let domain): members.append(.init("source-domain", .string(domain.text)))
        case nil: break
        }
        if let fidelity = impression.fidelityType {
            members.append(.init("fidelity-type", .integer(fidelity.rawValue)))
        }
        members.append(.init("timestamp", .integer(impression.timestamp.rawValue)))
        members.append(.init("attribution-signature", .string(attributionSignature)))
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
        var members: [JSONText.Member] = [
            .init("SKStoreProductParameterITunesItemIdentifier", .integer(impression.itunesItemID.value)),
            .init("SKStoreProductParameterAdNetworkIdentifier", .string(impression.adNetworkID.text)),
        ]
        members.reserveCapacity(Self.mostMembers)
        switch impression.campaign {
        case .campaignID(let id):
            members.append(.init("SKStoreProductParameterAdNetworkCampaignIdentifier", .integer(id.value)))
        case .sourceIdentifier(let id):
            members.append(.init("SKStoreProductParameterAdNetworkSourceIdentifier", .integer(id.value)))
        }
        if case .app(let id) = impression.source {
            members.append(.init("SKStoreProductParameterAdNetworkSourceAppStoreIdentifier", .integer(id.value)))
        }
        if impression.version > .v1_0 {
            members.append(.init("SKStoreProductParameterAdNetworkVersion", .string(impression.version.rawValue)))
        }
        members.append(.init("SKStoreProductParameterAdNetworkNonce", .string(impression.nonce.text)))
        members.append(.init("SKStoreProductParameterAdNetworkTimestamp", .integer(impression.timestamp.rawValue)))
        members.append(.init("SKStoreProductParameterAdNetworkAttributionSignature", .string(attributionSignature)))
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
        var members: [JSONText.Member] = [
            .init("version", .string(impression.version.rawValue)),
            .init("adNetworkIdentifier", .string(impression.adNetworkID.text)),
        ]
        members.reserveCapacity(Self.mostMembers)
        switch impression.campaign {
        case .campaignID(let id): members.append(.init("adCampaignIdentifier", .integer(id.value)))
        case .sourceIdentifier(let id): members.append(.init("sourceIdentifier", .integer(id.value)))
        }
        members.append(.init("advertisedAppStoreItemIdentifier", .integer(impression.itunesItemID.value)))
        members.append(.init("sourceAppStoreItemIdentifier", .integer(source.value)))
        members.append(.init("adImpressionIdentifier", .string(impression.nonce.text)))
        members.append(.init("timestamp", .integer(impression.timestamp.rawValue)))
        members.append(.init("signature", .string(attributionSignature)))
        return .object(members)
    }

    private func wrongForm(_ format: String, expected: String) -> FieldProblem {
        FieldProblem(
            field: "format",
            found: "\(format) for a \(impression.form.rawValue) ad of version "
                + impression.version.rawValue, expected: expected)
    }
}
