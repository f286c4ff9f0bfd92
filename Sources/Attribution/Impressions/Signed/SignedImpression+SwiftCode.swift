package import StrictJSON

extension SignedSKAdNetworkImpression {
    /// Swift code that hands the impression to StoreKit, to paste into the app that shows the ad.
    ///
    /// - Throws: ``StrictJSON/FieldProblem`` for a web ad, which no code in an app shows.
    package func swiftCode() throws(FieldProblem) -> String {
        switch impression.form {
        case .storeKitRendered: loadProductCode
        case .viewThrough: adImpressionCode
        case .web:
            throw FieldProblem(
                field: "format", found: "swift for a web ad",
                expected: "json; a page shows a web ad by its link, which skan web-ad issue --format html prints")
        }
    }

    /// The dictionary for `loadProduct`, keyed by StoreKit's constants.
    private var loadProductCode: String {
        let prefix = "SKStoreProductParameter"
        var members = [
            (prefix + "ITunesItemIdentifier", number(impression.itunesItemID.value)),
            (prefix + "AdNetworkIdentifier", literal(impression.adNetworkID.text)),
        ]
        switch impression.campaign {
        case .campaignID(let id): members.append((prefix + "AdNetworkCampaignIdentifier", number(id.value)))
        case .sourceIdentifier(let id): members.append((prefix + "AdNetworkSourceIdentifier", number(id.value)))
        }
        if case .app(let id) = impression.source {
            members.append((prefix + "AdNetworkSourceAppStoreIdentifier", number(id.value)))
        }
        if impression.version > .v1_0 {
            members.append((prefix + "AdNetworkVersion", literal(impression.version.rawValue)))
        }
        // StoreKit takes a UUID here, and signs it in lower case.
        members.append((prefix + "AdNetworkNonce", "NSUUID(uuidString: \(literal(impression.nonce.text)))!"))
        members.append((prefix + "AdNetworkTimestamp", number(impression.timestamp.rawValue)))
        members.append((prefix + "AdNetworkAttributionSignature", literal(attributionSignature)))
        return """
            import StoreKit

            // A StoreKit-rendered ad of SKAdNetwork \(impression.version.rawValue); sign one for each time it is shown.
            let parameters: [String: Any] = [
            \(members.map { "    \($0): \($1)," }.joined(separator: "\n"))
            ]
            let storeProductViewController = SKStoreProductViewController()
            storeProductViewController.loadProduct(withParameters: parameters) { isLoaded, error in
                // Present the view controller if isLoaded, otherwise look at the error.
            }
            """
    }

    /// An `SKAdImpression` with all properties of its version.
    private var adImpressionCode: String {
        var properties = [
            ("version", literal(impression.version.rawValue)),
            ("adNetworkIdentifier", literal(impression.adNetworkID.text)),
        ]
        switch impression.campaign {
        case .campaignID(let id): properties.append(("adCampaignIdentifier", number(id.value)))
        case .sourceIdentifier(let id): properties.append(("sourceIdentifier", number(id.value)))
        }
        properties.append(("advertisedAppStoreItemIdentifier", number(impression.itunesItemID.value)))
        if case .app(let id) = impression.source {
            properties.append(("sourceAppStoreItemIdentifier", number(id.value)))
        }
        properties.append(("adImpressionIdentifier", literal(impression.nonce.text)))
        properties.append(("timestamp", number(impression.timestamp.rawValue)))
        properties.append(("signature", literal(attributionSignature)))
        return """
            import StoreKit

            // A view-through ad of SKAdNetwork \(impression.version.rawValue); sign one for each time it is shown.
            let impression = SKAdImpression()
            \(properties.map { "impression.\($0) = \($1)" }.joined(separator: "\n"))
            SKAdNetwork.startImpression(impression) { error in
                // The ad is on screen: call SKAdNetwork.endImpression(impression) when it is not any more.
            }
            """
    }
}

extension SignedAdAttributionKitImpression {
    /// Swift code that hands the impression to AdAttributionKit, to paste into the app that shows the ad.
    package var swiftCode: String {
        """
        import AdAttributionKit

        // An ad of AdAttributionKit, viewed or tapped; sign one for each time it is shown.
        func makeImpression() async throws -> AppImpression {
            try await AppImpression(compactJWS: \(literal(compactJWS)))
        }
        """
    }
}

/// A literal that becomes an `NSNumber`, also as a value of type `Any`.
private func number(_ value: Int64) -> String {
    "\(value) as NSNumber"
}

/// A string literal of Swift.
private func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": literal += "\\\""
        case "\\": literal += "\\\\"
        case " "..."~": literal.unicodeScalars.append(scalar)
        default: literal += "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
    return literal + "\""
}
