extension SignedCampaign {
    /// The campaign of one ad.
    ///
    /// - Parameter impressions: The ad in each form and version it was signed in; nil without any.
    package init?(_ impressions: ArraySlice<Impression>) {
        var network: AdNetworkID?
        var app: AppStoreItemID?
        var campaignID: CampaignID?
        var sourceIdentifier: ImpressionSourceIdentifier?
        for impression in impressions {
            network = impression.adNetworkID
            switch impression {
            case .skAdNetwork(let impression):
                app = impression.itunesItemID
                switch impression.campaign {
                case .campaignID(let id): campaignID = id
                case .sourceIdentifier(let identifier): sourceIdentifier = identifier
                }
            case .adAttributionKit(let impression):
                app = impression.advertisedItemIdentifier
                sourceIdentifier = impression.sourceIdentifier
            }
        }
        guard let network, let app else {
            return nil
        }
        self.init(network: network, app: app, campaignID: campaignID, sourceIdentifier: sourceIdentifier)
    }
}
