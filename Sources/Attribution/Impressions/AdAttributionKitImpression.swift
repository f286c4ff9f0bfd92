package import StrictJSON

/// An AdAttributionKit ad, with all the values the network signs.
///
/// One impression serves both view-through and click-through ads. ``AdAttributionKitImpressionDraft`` checks the values
/// of a command line.
///
/// - SeeAlso: [Generating JWS
///   impressions](https://developer.apple.com/documentation/adattributionkit/generating-jws-impressions)
package struct AdAttributionKitImpression: Hashable, Sendable {
    package let impressionIdentifier: Nonce
    /// The app that shows the ad; `0` for a development-signed one.
    package let publisherItemIdentifier: AppStoreItemID
    package let advertisedItemIdentifier: AppStoreItemID
    /// The network, spelt as in the publisher app's Info.plist; may end in `.skadnetwork`.
    package let adNetworkIdentifier: AdNetworkID
    package let sourceIdentifier: ImpressionSourceIdentifier
    /// When the ad was created.
    package let timestamp: UnixMilliseconds
    /// Whether a click may count as a re-engagement instead of an install; iOS 18.
    package let isEligibleForReEngagement: Bool

    /// Writes the header of the JWS: the algorithm, and the network's id as the key's name.
    package func writeHeader(to json: inout JSONWriter) {
        json.object { json in
            json.member("alg", "ES256")
            json.member("kid", adNetworkIdentifier.text)
        }
    }

    /// Writes the payload of the JWS, with Apple's field names.
    package func writePayload(to json: inout JSONWriter) {
        json.object { json in
            json.member("impression-identifier", impressionIdentifier.text)
            json.member("publisher-item-identifier", publisherItemIdentifier.value)
            json.member("impression-type", "app-impression")
            json.member("ad-network-identifier", adNetworkIdentifier.text)
            json.member("source-identifier", sourceIdentifier.value)
            json.member("timestamp", timestamp.rawValue)
            json.member("advertised-item-identifier", advertisedItemIdentifier.value)
            if isEligibleForReEngagement {
                json.member("eligible-for-re-engagement", true)
            }
        }
    }

    /// The text that the network signs: header and payload in base64url, joined by a dot.
    ///
    /// - SeeAlso: [RFC 7515, section 5.1](https://www.rfc-editor.org/rfc/rfc7515#section-5.1)
    package var signingInput: [UInt8] {
        var input: [UInt8] = []
        // More than most need.
        input.reserveCapacity(640)
        Base64URL.append(JSONWriter.bytes(writeHeader), to: &input)
        input.append(UInt8(ascii: "."))
        Base64URL.append(JSONWriter.bytes(writePayload), to: &input)
        return input
    }
}

/// The unchecked values of an AdAttributionKit impression, from a command line.
package struct AdAttributionKitImpressionDraft: Sendable {
    /// `impression-identifier`, a lower-case version 4 UUID.
    package var impressionIdentifier: String
    /// `publisher-item-identifier`, the app that shows the ad; 0 in development.
    package var publisherItemIdentifier: Int64?
    /// `advertised-item-identifier`, the advertised app.
    package var advertisedItemIdentifier: Int64
    /// `ad-network-identifier`.
    package var adNetworkIdentifier: String
    /// `source-identifier`, 0…9999.
    package var sourceIdentifier: Int64?
    /// `timestamp`, Unix milliseconds.
    package var timestampMilliseconds: Int64
    /// `eligible-for-re-engagement`.
    package var isEligibleForReEngagement: Bool

    package init(
        impressionIdentifier: String, publisherItemIdentifier: Int64?, advertisedItemIdentifier: Int64,
        adNetworkIdentifier: String, sourceIdentifier: Int64?, timestampMilliseconds: Int64,
        isEligibleForReEngagement: Bool = false
    ) {
        self.impressionIdentifier = impressionIdentifier
        self.publisherItemIdentifier = publisherItemIdentifier
        self.advertisedItemIdentifier = advertisedItemIdentifier
        self.adNetworkIdentifier = adNetworkIdentifier
        self.sourceIdentifier = sourceIdentifier
        self.timestampMilliseconds = timestampMilliseconds
        self.isEligibleForReEngagement = isEligibleForReEngagement
    }
}

extension AdAttributionKitImpressionDraft {
    /// Checks every value.
    package func checked() throws(FieldProblem) -> AdAttributionKitImpression {
        let identifier = try Nonce.checked(impressionIdentifier, field: "impression-identifier")
        let network = try AdNetworkID.checked(adNetworkIdentifier, field: "ad-network-identifier")
        guard let publisherItemIdentifier, publisherItemIdentifier >= 0 else {
            throw FieldProblem(
                field: "publisher-item-identifier", found: publisherItemIdentifier.map { String($0) } ?? "nothing",
                expected: AppStoreItemID.missingSourceRule)
        }
        let advertised = try AppStoreItemID.advertised(advertisedItemIdentifier, field: "advertised-item-identifier")
        let timestamp = UnixMilliseconds(rawValue: timestampMilliseconds)
        let source = try ImpressionSourceIdentifier.checked(sourceIdentifier, field: "source-identifier")
        try timestamp.checkIsSignable(field: "timestamp")
        return AdAttributionKitImpression(
            impressionIdentifier: identifier, publisherItemIdentifier: AppStoreItemID(publisherItemIdentifier),
            advertisedItemIdentifier: advertised, adNetworkIdentifier: network, sourceIdentifier: source,
            timestamp: timestamp, isEligibleForReEngagement: isEligibleForReEngagement)
    }
}
