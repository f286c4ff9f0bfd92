package import StrictJSON

/// An issued web ad with everything a page needs to show it.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
package struct WebAdLink: Hashable, Sendable {
    /// The ad.
    package let ad: WebAd
    /// The origin devices ask for the payload.
    package let attributionDestination: AttributionDestination
    /// What the link says to people.
    package let label: String

    /// Joins an ad and its link; ``WebAdRequest`` checks the values.
    init(ad: WebAd, attributionDestination: AttributionDestination, label: String) {
        self.ad = ad
        self.attributionDestination = attributionDestination
        self.label = label
    }

    /// The address of the advertised app's page.
    package var href: String {
        "https://apps.apple.com/app/id\(ad.content.itunesItemID)"
    }

    /// The link's attributes by their names in HTML, in order.
    package var attributes: [(name: String, value: String)] {
        [
            ("href", href),
            ("attributionDestination", attributionDestination.origin),
            ("attributionSourceNonce", ad.nonce.base64URL),
        ]
    }

    /// The link as HTML, with everything escaped that must be.
    package var html: String {
        let attributes = attributes.map { " \($0.name)=\"\(Self.escaped($0.value))\"" }.joined()
        return "<a\(attributes)>\(Self.escaped(label))</a>"
    }

    /// The attributes, the HTML, the nonce as a UUID, and until when the ad may be tapped.
    package var json: JSONText {
        .object(
            attributes.map { ($0.name, .string($0.value)) } + [
                ("html", .string(html)),
                ("nonce", .string(ad.nonce.text)),
                ("issued-at-milliseconds", .integer(ad.issuedAt.rawValue)),
                ("expires-at-milliseconds", .integer(ad.expiresAt.rawValue)),
            ])
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
