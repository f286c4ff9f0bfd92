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
    package func impressions(at time: UnixMilliseconds, nonce: () -> Nonce) throws(SigningRefusal) -> [Impression] {
        do throws(FieldProblem) {
            try time.checkIsSignable(field: "timestamp")
        } catch {
            throw .field(error)
        }
        var impressions = skAdNetwork.map { ad in
            Impression.skAdNetwork(
                SKAdNetworkImpression(
                    version: ad.version, adNetworkID: adNetworkID, campaign: ad.campaign, itunesItemID: itunesItemID,
                    nonce: nonce(), source: ad.source, fidelityType: ad.fidelityType, timestamp: time
                ))
        }
        if let ad = adAttributionKit {
            impressions.append(
                .adAttributionKit(
                    AdAttributionKitImpression(
                        impressionIdentifier: nonce(), publisherItemIdentifier: ad.publisherItemID,
                        advertisedItemIdentifier: itunesItemID, adNetworkIdentifier: adNetworkID,
                        sourceIdentifier: ad.sourceIdentifier, timestamp: time,
                        isEligibleForReEngagement: ad.isEligibleForReEngagement
                    )))
        }
        return impressions
    }
}

extension ImpressionOrder {
    /// Reads an order and checks every value against the rules of every version.
    package init(reading body: [UInt8], limit: Int) throws(SigningRefusal) {
        self = try SigningRefusal.orRequest(reading: body, limit: limit) { fields throws(FieldProblem) in
            try Self(ImpressionOrderMembers(fields))
        }
    }

    private init(_ order: ImpressionOrderMembers) throws(FieldProblem) {
        try order.refuseUnused()
        adNetworkID = order.adNetworkID
        itunesItemID = order.itunesItemID
        var ads: [SKAdNetworkAd] = []
        for form in order.forms {
            for version in try order.versions(carrying: form) {
                ads.append(
                    SKAdNetworkAd(
                        version: version, campaign: try order.campaign(version),
                        source: try order.source(form, version),
                        fidelityType: version.hasFidelityType
                            ? (form == .viewThrough ? .viewThrough : .storeKitRendered) : nil))
            }
        }
        skAdNetwork = ads
        adAttributionKit = order.isForAdAttributionKit ? try order.adAttributionKitAd() : nil
    }
}
