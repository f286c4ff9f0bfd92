package import Attribution

/// A campaign as both stores keep it: numbers that are never NULL, so that they can be part of a key.
package struct StoredCampaign: Hashable, Sendable {
    /// The network, as registered.
    package let network: String
    /// The advertised app.
    package let app: Int64
    /// The campaign id; 0 for none.
    package let campaignID: Int64
    /// The digits of the source identifier; empty for none.
    package let sourceIdentifier: String

    /// Takes values of a store.
    package init(network: String, app: Int64, campaignID: Int64, sourceIdentifier: String) {
        self.network = network
        self.app = app
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
    }

    /// A campaign that was signed for.
    package init(_ campaign: SignedCampaign) {
        self.init(
            network: campaign.network, app: campaign.app.value, campaignID: campaign.campaignID?.value ?? 0,
            sourceIdentifier: campaign.sourceIdentifier.map { String($0.value) } ?? "")
    }

    /// A campaign with spend.
    package init(_ campaign: SpendCampaign) {
        self.init(
            network: campaign.network, app: campaign.app.value, campaignID: campaign.campaignID?.value ?? 0,
            sourceIdentifier: campaign.sourceIdentifier?.digits ?? "")
    }

    /// The campaign that was signed for; nil for damaged values.
    package var signed: SignedCampaign? {
        let identifier = Int64(sourceIdentifier).flatMap { ImpressionSourceIdentifier($0) }
        guard let network = AdNetworkID(network), hasValidCampaignID,
            identifier != nil || sourceIdentifier.isEmpty
        else {
            return nil
        }
        return SignedCampaign(
            network: network, app: AppStoreItemID(app), campaignID: CampaignID(campaignID),
            sourceIdentifier: identifier)
    }

    /// The campaign with spend; nil for damaged values.
    package var spend: SpendCampaign? {
        let identifier = SourceIdentifier(sourceIdentifier)
        guard let network = AdNetworkID(network), hasValidCampaignID,
            identifier != nil || sourceIdentifier.isEmpty
        else {
            return nil
        }
        return SpendCampaign(
            network: network, app: AppStoreItemID(app), campaignID: CampaignID(campaignID),
            sourceIdentifier: identifier)
    }

    private var hasValidCampaignID: Bool {
        campaignID == 0 || CampaignID(campaignID) != nil
    }
}
