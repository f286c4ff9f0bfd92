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

    /// Writes the signed values with Apple's field names, for every form and version.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("version", impression.version.rawValue)
            json.member("ad-network-id", impression.adNetworkID.text)
            switch impression.campaign {
            case .campaignID(let id): json.member("campaign-id", id.value)
            case .sourceIdentifier(let id): json.member("source-identifier", id.value)
            }
            json.member("itunes-item-id", impression.itunesItemID.value)
            json.member("nonce", impression.nonce.text)
            switch impression.source {
            case .app(let id): json.member("source-app-id", id.value)
            case .domain(let domain): json.member("source-domain", domain.text)
            case nil: break
            }
            if let fidelity = impression.fidelityType {
                json.member("fidelity-type", fidelity.rawValue)
            }
            json.member("timestamp", impression.timestamp.rawValue)
            json.member("attribution-signature", attributionSignature)
        }
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
        writeParameters(to: &json)
    }

    /// Writes the properties of `SKAdImpression`, for a view-through ad.
    ///
    /// - Throws: ``FieldProblem`` for an ad of another form.
    /// - SeeAlso: [SKAdImpression](https://developer.apple.com/documentation/storekit/skadimpression)
    package func writeAdImpressionProperties(to json: inout JSONWriter) throws(FieldProblem) {
        guard impression.form == .viewThrough else {
            throw wrongForm("impression", expected: "a view-through ad (version 2.2 or later, fidelity 0)")
        }
        writeProperties(to: &json)
    }

    /// Writes the parameters of a StoreKit-rendered ad.
    func writeParameters(to json: inout JSONWriter) {
        json.object { json in
            json.member("SKStoreProductParameterITunesItemIdentifier", impression.itunesItemID.value)
            json.member("SKStoreProductParameterAdNetworkIdentifier", impression.adNetworkID.text)
            switch impression.campaign {
            case .campaignID(let id): json.member("SKStoreProductParameterAdNetworkCampaignIdentifier", id.value)
            case .sourceIdentifier(let id): json.member("SKStoreProductParameterAdNetworkSourceIdentifier", id.value)
            }
            if case .app(let id) = impression.source {
                json.member("SKStoreProductParameterAdNetworkSourceAppStoreIdentifier", id.value)
            }
            if impression.version > .v1_0 {
                json.member("SKStoreProductParameterAdNetworkVersion", impression.version.rawValue)
            }
            json.member("SKStoreProductParameterAdNetworkNonce", impression.nonce.text)
            json.member("SKStoreProductParameterAdNetworkTimestamp", impression.timestamp.rawValue)
            json.member("SKStoreProductParameterAdNetworkAttributionSignature", attributionSignature)
        }
    }

    /// Writes the properties of a view-through ad.
    func writeProperties(to json: inout JSONWriter) {
        json.object { json in
            json.member("version", impression.version.rawValue)
            json.member("adNetworkIdentifier", impression.adNetworkID.text)
            switch impression.campaign {
            case .campaignID(let id): json.member("adCampaignIdentifier", id.value)
            case .sourceIdentifier(let id): json.member("sourceIdentifier", id.value)
            }
            json.member("advertisedAppStoreItemIdentifier", impression.itunesItemID.value)
            if case .app(let id) = impression.source {
                json.member("sourceAppStoreItemIdentifier", id.value)
            }
            json.member("adImpressionIdentifier", impression.nonce.text)
            json.member("timestamp", impression.timestamp.rawValue)
            json.member("signature", attributionSignature)
        }
    }

    private func wrongForm(_ format: String, expected: String) -> FieldProblem {
        FieldProblem(
            field: "format",
            found: "\(format) for a \(impression.form.rawValue) ad of version "
                + impression.version.rawValue, expected: expected)
    }
}
