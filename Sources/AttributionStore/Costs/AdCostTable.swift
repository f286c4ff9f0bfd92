import Attribution

/// What a store keeps of signed ads.
package enum AdCostTable {
    /// What there is one sum of.
    package struct Row: Hashable, Sendable {
        /// The day of UTC, since 1970-01-01.
        package let day: Int64
        /// The campaign.
        package let campaign: StoredCampaign

        /// Names a row.
        package init(day: Int64, campaign: StoredCampaign) {
            self.day = day
            self.campaign = campaign
        }

        /// What a line belongs to.
        init(_ count: SignedImpressionCount) {
            self.init(day: count.day.number, campaign: StoredCampaign(count.campaign))
        }
    }
}
