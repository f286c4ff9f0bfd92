package import StrictJSON

/// The link of an issued web ad.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
package struct WebAdLink: Hashable, Sendable {
    /// The ad.
    package let ad: WebAd
    /// The origin that devices request the payload from.
    package let attributionDestination: AttributionDestination
    /// The text of the link.
    package let label: String

    /// Makes a link from values that ``WebAdRequest`` checked.
    init(ad: WebAd, attributionDestination: AttributionDestination, label: String) {
        self.ad = ad
        self.attributionDestination = attributionDestination
        self.label = label
    }

    /// The address of the advertised app's page.
    package var href: String {
        "https://apps.apple.com/app/id\(ad.content.itunesItemID)"
    }

    /// The HTML attributes of the link, in order.
    package var attributes: [(name: String, value: String)] {
        [
            ("href", href),
            ("attributionDestination", attributionDestination.origin),
            ("attributionSourceNonce", ad.nonce.base64URL),
        ]
    }

    /// The link as HTML.
    package var html: String {
        let attributes = attributes.map { " \($0.name)=\"\($0.value.escapedHTML)\"" }.joined()
        return "<a\(attributes)>\(label.escapedHTML)</a>"
    }

    /// The attributes, the HTML, the nonce as a UUID, and the times of issue and expiry.
    package var json: JSONText {
        .object(
            attributes.map { ($0.name, .string($0.value)) } + [
                ("html", .string(html)),
                ("nonce", .string(ad.nonce.text)),
                ("issued-at-milliseconds", .integer(ad.issuedAt.rawValue)),
                ("expires-at-milliseconds", .integer(ad.expiresAt.rawValue)),
            ])
    }
}
