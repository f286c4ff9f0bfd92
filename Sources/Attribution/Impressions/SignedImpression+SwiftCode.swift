package import StrictJSON

extension SignedSKAdNetworkImpression {
    /// Swift code that hands the impression to StoreKit, to paste into the app that shows the ad.
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
        let members = storeKitParameters.map { name, value in
            // StoreKit takes a UUID here, and signs it in lower case.
            let isNonce = name == ImpressionField.nonce.storeKitName
            return "    \(name): " + (isNonce ? "NSUUID(uuidString: \(literal(value)))!" : literal(value)) + ","
        }
        return """
            import StoreKit

            // A StoreKit-rendered ad of SKAdNetwork \(impression.version.rawValue); sign one for each time it is shown.
            let parameters: [String: Any] = [
            \(members.joined(separator: "\n"))
            ]
            let storeProductViewController = SKStoreProductViewController()
            storeProductViewController.loadProduct(withParameters: parameters) { isLoaded, error in
                // Present the view controller if isLoaded, otherwise look at the error.
            }
            """
    }

    /// An `SKAdImpression` with all properties of its version.
    private var adImpressionCode: String {
        """
        import StoreKit

        // A view-through ad of SKAdNetwork \(impression.version.rawValue); sign one for each time it is shown.
        let impression = SKAdImpression()
        \(adImpressionProperties.map { "impression.\($0) = \(literal($1))" }.joined(separator: "\n"))
        SKAdNetwork.startImpression(impression) { error in
            // The ad is on screen: call SKAdNetwork.endImpression(impression) when it is not any more.
        }
        """
    }
}

extension SignedAdAttributionKitImpression {
    /// Swift code that hands the impression to AdAttributionKit, to paste into the app that shows the ad.
    ///
    /// - SeeAlso: [handleTap(reengagementURL:)](https://developer.apple.com/documentation/adattributionkit/appimpression/handletap(reengagementurl:))
    package var swiftCode: String {
        """
        import AdAttributionKit
        \(impression.isEligibleForReEngagement ? "import Foundation\n" : "")
        // An ad of AdAttributionKit, viewed or tapped; sign one for each time it is shown.
        func makeImpression() async throws -> AppImpression {
            try await AppImpression(compactJWS: \(literal(compactJWS)))
        }
        """ + (impression.isEligibleForReEngagement ? Self.reengagementCode : "")
    }

    private static let reengagementCode = """


        // A tap, in a UIEventAttributionView over the ad, re-engages where the app is installed. The URL has to be a
        // universal link into the advertised app, which finds AdAttributionKitReengagementOpen added to its query.
        @available(iOS 18.0, *)
        func handleTap(_ impression: AppImpression, reengagementURL: URL) async throws {
            try await impression.handleTap(reengagementURL: reengagementURL)
        }
        """
}

/// A literal; a number becomes an `NSNumber`, also as a value of type `Any`.
private func literal(_ value: JSONText) -> String {
    switch value {
    case .string(let text): literal(text)
    case .integer(let number): "\(number) as NSNumber"
    default: value.line
    }
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
