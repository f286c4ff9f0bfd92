package import StrictJSON

/// One ad of AdAttributionKit, with everything the network signs about it.
///
/// One impression serves both view-through and click-through ads. It can only be made from values that were checked;
/// ``AdAttributionKitImpressionDraft`` checks those of a command line.
///
/// - SeeAlso: [Generating JWS
///   impressions](https://developer.apple.com/documentation/adattributionkit/generating-jws-impressions)
package struct AdAttributionKitImpression: Hashable, Sendable {
    /// The one-time id.
    package let impressionIdentifier: Nonce
    /// The app that shows the ad; `0` for a development-signed one.
    package let publisherItemIdentifier: AppStoreItemID
    /// The advertised app.
    package let advertisedItemIdentifier: AppStoreItemID
    /// The network, spelt as in the publisher app's Info.plist; an id that ends in `.skadnetwork` may be used.
    package let adNetworkIdentifier: AdNetworkID
    /// What the impression is counted under.
    package let sourceIdentifier: ImpressionSourceIdentifier
    /// When the ad was made.
    package let timestamp: UnixMilliseconds
    /// Whether a click may lead to a re-engagement instead of an install; iOS 18.
    package let isEligibleForReEngagement: Bool

    /// The header of the JWS: the algorithm, and the network's id as the name of the key.
    package var header: JSONText {
        .object(["alg": .string("ES256"), "kid": .string(adNetworkIdentifier.text)])
    }

    /// The payload of the JWS, in Apple's field names.
    package var payload: JSONText {
        var members: [(String, JSONText)] = [
            ("impression-identifier", .string(impressionIdentifier.text)),
            ("publisher-item-identifier", .integer(publisherItemIdentifier.value)),
            ("impression-type", .string("app-impression")),
            ("ad-network-identifier", .string(adNetworkIdentifier.text)),
            ("source-identifier", .integer(sourceIdentifier.value)),
            ("timestamp", .integer(timestamp.rawValue)),
            ("advertised-item-identifier", .integer(advertisedItemIdentifier.value)),
        ]
        if isEligibleForReEngagement {
            members.append(("eligible-for-re-engagement", .bool(true)))
        }
        return .object(members)
    }

    /// The text the network signs: header and payload in base64url, joined by a full stop.
    ///
    /// - SeeAlso: [RFC 7515, section 5.1](https://www.rfc-editor.org/rfc/rfc7515#section-5.1)
    package var signingInput: String {
        Base64URL.encode(header.line.utf8) + "." + Base64URL.encode(payload.line.utf8)
    }
}
