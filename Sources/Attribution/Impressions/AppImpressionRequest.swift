package import StrictJSON

/// The values of an AdAttributionKit impression before they are checked.
package struct AppImpressionRequest: Sendable {
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

    /// Makes a request.
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

extension AppImpressionRequest {
    /// Checks every value.
    ///
    /// - Returns: The impression, ready to be signed.
    /// - Throws: ``FieldProblem`` naming the first field that breaks a rule.
    package func checked() throws(FieldProblem) -> AppImpression {
        guard let identifier = Nonce(impressionIdentifier) else {
            throw FieldProblem(
                field: "impression-identifier", found: "\"\(impressionIdentifier.shortened(to: 40))\"",
                expected: "a version 4 UUID in lower case, for example 68483ef6-0678-40df-859b-1b8f3f2d7b21")
        }
        guard let network = AdNetworkID(adNetworkIdentifier) else {
            throw FieldProblem(
                field: "ad-network-identifier", found: "\"\(adNetworkIdentifier.shortened(to: 60))\"",
                expected: "1 to 255 bytes of text without U+2063 and control characters")
        }
        guard let publisherItemIdentifier, publisherItemIdentifier >= 0 else {
            throw FieldProblem(
                field: "publisher-item-identifier", found: publisherItemIdentifier.map { String($0) } ?? "nothing",
                expected: "the App Store id of the app that shows the ad (0 while it is development-signed)")
        }
        guard advertisedItemIdentifier > 0 else {
            throw FieldProblem(
                field: "advertised-item-identifier", found: String(advertisedItemIdentifier),
                expected: "an App Store id greater than 0")
        }
        let range = ImpressionRequest.sourceIdentifiers
        guard let sourceIdentifier, range.contains(sourceIdentifier) else {
            throw FieldProblem(
                field: "source-identifier", found: sourceIdentifier.map { String($0) } ?? "nothing",
                expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        guard ImpressionRequest.timestamps.contains(timestampMilliseconds) else {
            throw FieldProblem(
                field: "timestamp", found: String(timestampMilliseconds),
                expected: "Unix time in milliseconds (13 digits)")
        }
        return AppImpression(
            impressionIdentifier: identifier,
            publisherItemIdentifier: AppStoreItemID(publisherItemIdentifier),
            advertisedItemIdentifier: AppStoreItemID(advertisedItemIdentifier),
            adNetworkIdentifier: network,
            sourceIdentifier: sourceIdentifier,
            timestampMilliseconds: timestampMilliseconds,
            isEligibleForReEngagement: isEligibleForReEngagement
        )
    }
}
