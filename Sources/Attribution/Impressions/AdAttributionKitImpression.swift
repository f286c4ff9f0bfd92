package import StrictJSON

/// An AdAttributionKit ad, with all the values the network signs.
///
/// One impression serves both view-through and click-through ads. ``AdAttributionKitImpressionDraft`` checks the values
/// of a command line.
///
/// - SeeAlso: [Generating JWS
///   impressions](https://developer.apple.com/documentation/adattributionkit/generating-jws-impressions)
package struct AdAttributionKitImpression: Hashable, Sendable {
    /// The nonce.
    package let impressionIdentifier: Nonce
    /// The app that shows the ad; `0` for a development-signed one.
    package let publisherItemIdentifier: AppStoreItemID
    /// The advertised app.
    package let advertisedItemIdentifier: AppStoreItemID
    /// The network, spelt as in the publisher app's Info.plist; may end in `.skadnetwork`.
    package let adNetworkIdentifier: AdNetworkID
    /// The source identifier.
    package let sourceIdentifier: ImpressionSourceIdentifier
    /// When the ad was created.
    package let timestamp: UnixMilliseconds
    /// Whether a click may count as a re-engagement instead of an install; iOS 18.
    package let isEligibleForReEngagement: Bool

    /// The header of the JWS: the algorithm, and the network's id as the key's name.
    package var header: JSONText {
        .object(["alg": .string("ES256"), "kid": .string(adNetworkIdentifier.text)])
    }

    /// The payload of the JWS, with Apple's field names.
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

    /// The text that the network signs: header and payload in base64url, joined by a dot.
    ///
    /// - SeeAlso: [RFC 7515, section 5.1](https://www.rfc-editor.org/rfc/rfc7515#section-5.1)
    package var signingInput: String {
        Base64URL.encode(header.line.utf8) + "." + Base64URL.encode(payload.line.utf8)
    }
}
