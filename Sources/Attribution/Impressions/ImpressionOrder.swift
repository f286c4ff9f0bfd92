import StrictJSON

/// A request to sign one ad in every form and version it may be shown in.
///
/// Each form is signed for each version that has it, with its own nonce.
package struct ImpressionOrder: Sendable {
    /// The ad in one form and one version of SKAdNetwork, without the nonce and the time.
    struct SKAdNetworkAd: Sendable {
        let version: SKAdNetworkVersion
        let campaign: SKAdNetworkImpression.Campaign
        let source: SKAdNetworkImpression.Source?
        let fidelityType: FidelityType?
    }

    /// The ad in AdAttributionKit, without the nonce and the time.
    struct AdAttributionKitAd: Sendable {
        let publisherItemID: AppStoreItemID
        let sourceIdentifier: ImpressionSourceIdentifier
        let isEligibleForReEngagement: Bool
    }

    /// The network that signs.
    package let adNetworkID: AdNetworkID
    let itunesItemID: AppStoreItemID
    let skAdNetwork: [SKAdNetworkAd]
    let adAttributionKit: AdAttributionKitAd?

    /// How many impressions there are to sign.
    package var signatureCount: Int {
        skAdNetwork.count + (adAttributionKit == nil ? 0 : 1)
    }

    /// The impressions to sign.
    ///
    /// - Parameters:
    ///   - time: The time to sign.
    ///   - nonce: Makes a fresh nonce each time.
    /// - Returns: One impression for each form and version that has it.
    /// - Throws: ``SigningRefusal/field(_:)`` for an implausible time.
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
