package import StrictJSON

/// The values of a web ad that are signed when it is tapped.
package struct WebAdContent: Hashable, Sendable {
    /// The network.
    package let adNetworkID: AdNetworkID
    /// The advertised app.
    package let itunesItemID: AppStoreItemID
    /// The source identifier.
    package let sourceIdentifier: ImpressionSourceIdentifier

    /// Checks the values of a request, a payload or a row.
    ///
    /// - Throws: ``FieldProblem`` naming the first invalid field.
    package init(
        adNetworkID: String, itunesItemID: Int64, sourceIdentifier: Int64
    ) throws(FieldProblem) {
        self.adNetworkID = try .checked(adNetworkID, field: "ad-network-id")
        self.itunesItemID = try .advertised(itunesItemID, field: "itunes-item-id")
        self.sourceIdentifier = try .checked(sourceIdentifier, field: "source-identifier")
    }

    /// The impression of a tap: version 4.0, fidelity 1.
    ///
    /// - Parameters:
    ///   - nonce: The nonce of the ad.
    ///   - sourceDomain: The domain of the page, as the device sent it.
    ///   - time: When it was tapped.
    /// - Returns: The impression, ready to sign.
    /// - Throws: ``FieldProblem`` for an implausible time.
    package func impression(
        nonce: Nonce,
        sourceDomain: SourceDomain,
        at time: UnixMilliseconds
    ) throws(FieldProblem) -> SKAdNetworkImpression {
        try time.checkIsSignable(field: "timestamp")
        return SKAdNetworkImpression(
            version: .v4_0,
            adNetworkID: adNetworkID,
            campaign: .sourceIdentifier(sourceIdentifier),
            itunesItemID: itunesItemID,
            nonce: nonce,
            source: .domain(sourceDomain),
            fidelityType: .storeKitRendered,
            timestamp: time
        )
    }
}
