package import StrictJSON

/// What a web ad advertises, and so what is signed when it is tapped.
package struct WebAdContent: Hashable, Sendable {
    /// The network.
    package let adNetworkID: AdNetworkID
    /// The advertised app.
    package let itunesItemID: AppStoreItemID
    /// The source identifier, 0…9999.
    package let sourceIdentifier: Int64

    /// Makes a content; ``impression(nonce:sourceDomain:timestampMilliseconds:)`` checks its ranges.
    package init(adNetworkID: AdNetworkID, itunesItemID: AppStoreItemID, sourceIdentifier: Int64) {
        self.adNetworkID = adNetworkID
        self.itunesItemID = itunesItemID
        self.sourceIdentifier = sourceIdentifier
    }

    /// The impression that a tap makes of it: version 4.0, fidelity 1.
    ///
    /// - Parameters:
    ///   - nonce: The nonce the ad was issued under.
    ///   - sourceDomain: The domain of the page, as the device spelt it.
    ///   - timestampMilliseconds: When it was tapped, in Unix milliseconds.
    /// - Returns: The impression, ready to be signed.
    /// - Throws: ``FieldProblem`` for a value out of its range.
    package func impression(
        nonce: Nonce,
        sourceDomain: SourceDomain,
        timestampMilliseconds: Int64
    ) throws(FieldProblem) -> Impression {
        try ImpressionRequest(
            version: SKAdNetworkVersion.v4_0.rawValue,
            adNetworkID: adNetworkID.text,
            sourceIdentifier: sourceIdentifier,
            itunesItemID: itunesItemID.value,
            sourceDomain: sourceDomain.text,
            nonce: nonce.text,
            timestampMilliseconds: timestampMilliseconds
        ).checked()
    }
}
