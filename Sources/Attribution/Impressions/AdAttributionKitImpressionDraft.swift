package import StrictJSON

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

    /// Makes a draft.
    package init(
        impressionIdentifier: String,
        publisherItemIdentifier: Int64?,
        advertisedItemIdentifier: Int64,
        adNetworkIdentifier: String,
        sourceIdentifier: Int64?,
        timestampMilliseconds: Int64,
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
    ///
    /// - Returns: The impression, ready to sign.
    /// - Throws: ``FieldProblem`` naming the first invalid field.
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
            impressionIdentifier: identifier,
            publisherItemIdentifier: AppStoreItemID(publisherItemIdentifier),
            advertisedItemIdentifier: advertised,
            adNetworkIdentifier: network,
            sourceIdentifier: source,
            timestamp: timestamp,
            isEligibleForReEngagement: isEligibleForReEngagement
        )
    }
}
