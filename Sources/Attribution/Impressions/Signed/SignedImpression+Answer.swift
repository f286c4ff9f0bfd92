package import StrictJSON

extension SignedImpression {
    /// Writes the signed values, and the parameters for the framework's call.
    package func writeAnswer(to json: inout JSONWriter) {
        switch self {
        case .skAdNetwork(let signed): signed.writeAnswer(to: &json)
        case .adAttributionKit(let signed): signed.writeAnswer(to: &json)
        }
    }
}

extension SignedSKAdNetworkImpression {
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
                writeParameters(to: &json)
            case .viewThrough:
                json.name("ad-impression-properties")
                writeProperties(to: &json)
            case .web: break
            }
        }
    }
}

extension SignedAdAttributionKitImpression {
    /// Writes the signed values, and the JWS for the AdAttributionKit call.
    fileprivate func writeAnswer(to json: inout JSONWriter) {
        json.object { json in
            json.member("form", "adattributionkit")
            writeMembers(to: &json)
        }
    }
}
