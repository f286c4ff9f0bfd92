/// What the ads of a campaign cost on one day, in one currency.
///
/// It is a statement of the whole amount, not an addition: whoever makes it twice changes nothing.
package struct Spend: Hashable, Sendable {
    /// What has one amount.
    package struct Key: Hashable, Sendable {
        /// The day of UTC.
        package let day: CalendarDay
        /// The campaign, or a group of campaigns.
        package let campaign: SpendCampaign
        /// The currency; a campaign may have amounts in several.
        package let currency: CurrencyCode

        /// Makes a key.
        package init(day: CalendarDay, campaign: SpendCampaign, currency: CurrencyCode) {
            self.day = day
            self.campaign = campaign
            self.currency = currency
        }
    }

    /// What has the amount.
    package let key: Key
    /// The amount, which may be 0: that is known, and not the same as nothing stated.
    package let amount: Money

    /// Makes a statement.
    package init(key: Key, amount: Money) {
        self.key = key
        self.amount = amount
    }
}

/// What spend is stated for: the network, the advertised app, and a campaign under one of its numbers or both.
package struct SpendCampaign: Hashable, Sendable {
    /// The network, as registered.
    package let network: String
    /// The advertised app; the ids of campaigns are unique within an app of a network.
    package let app: AppStoreItemID
    /// The campaign id; nil for none.
    package let campaignID: CampaignID?
    /// The source identifier, of which two or three digits name a group; nil for none.
    package let sourceIdentifier: SourceIdentifier?

    /// Names a campaign.
    package init(
        network: AdNetworkID,
        app: AppStoreItemID,
        campaignID: CampaignID?,
        sourceIdentifier: SourceIdentifier?
    ) {
        self.network = network.registered
        self.app = app
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
    }
}
