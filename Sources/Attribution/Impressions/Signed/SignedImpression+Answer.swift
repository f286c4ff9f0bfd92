package import StrictJSON

extension SignedImpression {
    /// The signed values, and the parameters for the framework's call.
    package func answer() throws -> JSONText {
        switch self {
        case .skAdNetwork(let signed): try signed.answer()
        case .adAttributionKit(let signed): signed.answer()
        }
    }
}

extension SignedSKAdNetworkImpression {
    /// The signed values, and the parameters of the StoreKit call for the form.
    func answer() throws -> JSONText {
        var members: [(String, JSONText)] = [
            ("form", .string(impression.form.rawValue)), ("version", .string(impression.version.rawValue)),
            ("impression", json),
        ]
        switch impression.form {
        case .storeKitRendered: members.append(("store-kit-product-parameters", try storeKitProductParameters()))
        case .viewThrough: members.append(("ad-impression-properties", try adImpressionProperties()))
        case .web: break
        }
        return .object(members)
    }
}

extension SignedAdAttributionKitImpression {
    /// The signed values, and the JWS for the AdAttributionKit call.
    func answer() -> JSONText {
        .object([
            "form": .string("adattributionkit"), "impression": impression.payload, "compact-jws": .string(compactJWS),
        ])
    }
}
