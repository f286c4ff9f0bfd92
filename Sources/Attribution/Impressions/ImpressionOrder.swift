import StrictJSON

/// What one request asks to be signed: one ad in every form and version it may be shown in.
///
/// Each form is signed for each of the versions that carry it, with a nonce of its own.
package struct ImpressionOrder: Sendable {
    /// The ad in one form and one version of SKAdNetwork, but for the nonce and the time.
    struct SKAdNetworkAd: Sendable {
        let version: SKAdNetworkVersion
        let campaign: SKAdNetworkImpression.Campaign
        let source: SKAdNetworkImpression.Source?
        let fidelityType: FidelityType?
    }

    /// The ad in AdAttributionKit, but for the nonce and the time.
    struct AdAttributionKitAd: Sendable {
        let publisherItemID: AppStoreItemID
        let sourceIdentifier: ImpressionSourceIdentifier
        let isEligibleForReEngagement: Bool
    }

    let adNetworkID: AdNetworkID
    let itunesItemID: AppStoreItemID
    let skAdNetwork: [SKAdNetworkAd]
    let adAttributionKit: AdAttributionKitAd?

    /// The impressions to sign.
    ///
    /// - Parameters:
    ///   - time: The time that is signed.
    ///   - nonce: Makes a fresh one at each call.
    /// - Returns: One impression for each form and version that carries it.
    /// - Throws: ``SigningRefusal/field(_:)`` for a time that a device would not believe.
    package func impressions(at time: UnixMilliseconds, nonce: () -> Nonce) throws(SigningRefusal) -> [Impression] {
        do throws(FieldProblem) {
            try time.checkIsSignable(field: "timestamp")
        } catch {
            throw .field(error)
        }
        var impressions = skAdNetwork.map { ad in
            Impression.skAdNetwork(
                SKAdNetworkImpression(
                    version: ad.version,
                    adNetworkID: adNetworkID,
                    campaign: ad.campaign,
                    itunesItemID: itunesItemID,
                    nonce: nonce(),
                    source: ad.source,
                    fidelityType: ad.fidelityType,
                    timestamp: time
                ))
        }
        if let ad = adAttributionKit {
            impressions.append(
                .adAttributionKit(
                    AdAttributionKitImpression(
                        impressionIdentifier: nonce(),
                        publisherItemIdentifier: ad.publisherItemID,
                        advertisedItemIdentifier: itunesItemID,
                        adNetworkIdentifier: adNetworkID,
                        sourceIdentifier: ad.sourceIdentifier,
                        timestamp: time,
                        isEligibleForReEngagement: ad.isEligibleForReEngagement
                    )))
        }
        return impressions
    }
}
