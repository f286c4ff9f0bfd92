package import StrictJSON

/// An issued web ad.
package struct WebAd: Hashable, Sendable {
    /// The nonce in its link; it can be used once.
    package let nonce: Nonce
    /// The values that are signed on a tap.
    package let content: WebAdContent
    /// The domains (eTLD+1) whose pages may show it, compared exactly; empty for any domain.
    package let sourceDomains: [SourceDomain]
    /// When it was issued.
    package let issuedAt: UnixMilliseconds
    /// When it expires.
    package let expiresAt: UnixMilliseconds

    /// The impression of a tap at the time of issue, to check whether a key can sign the ad.
    package func sampleImpression() throws(FieldProblem) -> SKAdNetworkImpression {
        let domain: SourceDomain
        if let first = sourceDomains.first {
            domain = first
        } else {
            domain = try SourceDomain.given("example.com", field: "source-domains")
        }
        return try content.impression(nonce: nonce, sourceDomain: domain, at: issuedAt)
    }
}

/// The values of a web ad that are signed when it is tapped.
package struct WebAdContent: Hashable, Sendable {
    package let adNetworkID: AdNetworkID
    package let itunesItemID: AppStoreItemID
    package let sourceIdentifier: ImpressionSourceIdentifier

    /// Checks the values of a request, a payload or a row.
    package init(
        adNetworkID: String, itunesItemID: Int64, sourceIdentifier: Int64
    ) throws(FieldProblem) {
        self.adNetworkID = try .checked(adNetworkID, field: "ad-network-id")
        self.itunesItemID = try .advertised(itunesItemID, field: "itunes-item-id")
        self.sourceIdentifier = try .checked(sourceIdentifier, field: "source-identifier")
    }

    /// The impression of a tap: version 4.0, fidelity 1.
    package func impression(
        nonce: Nonce, sourceDomain: SourceDomain, at time: UnixMilliseconds
    ) throws(FieldProblem) -> SKAdNetworkImpression {
        try time.checkIsSignable(field: "timestamp")
        return SKAdNetworkImpression(
            version: .v4_0, adNetworkID: adNetworkID, campaign: .sourceIdentifier(sourceIdentifier),
            itunesItemID: itunesItemID, nonce: nonce, source: .domain(sourceDomain), fidelityType: .storeKitRendered,
            timestamp: time)
    }
}

/// The link of an issued web ad.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
package struct WebAdLink: Hashable, Sendable {
    package let ad: WebAd
    /// The origin that devices request the payload from.
    package let attributionDestination: AttributionDestination
    /// The text of the link.
    package let label: String

    /// The address of the advertised app's page.
    package var href: String { "https://apps.apple.com/app/id\(ad.content.itunesItemID)" }

    /// The HTML attributes of the link, in order.
    package var attributes: [(name: String, value: String)] {
        [
            ("href", href),
            ("attributionDestination", attributionDestination.origin),
            ("attributionSourceNonce", ad.nonce.base64URL),
        ]
    }

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

/// The origin that devices request the signed payload of a web ad from, for example `https://network.example`.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
package struct AttributionDestination: Hashable, Sendable, CustomStringConvertible {
    /// The path to which devices post.
    package static let path = "/.well-known/skadnetwork/get-signed-payload"

    /// The origin as written in the link.
    package let origin: String

    /// Accepts `https://HOST` or `https://HOST:PORT`; nil for any other text, because devices add the path themselves.
    package init?(_ origin: String) {
        let scheme = "https://"
        guard origin.hasPrefix(scheme), origin.utf8.count <= 255 else {
            return nil
        }
        let parts = origin.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte), parts.count <= 2 else {
            return nil
        }
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(parts[1]), port > 0 else {
                return nil
            }
        }
        self.origin = origin
    }

    /// The origin as written in the link.
    package var description: String { origin }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
