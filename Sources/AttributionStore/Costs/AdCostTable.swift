package import Attribution

/// Everything that a store keeps of signed ads and of spend, real or of tests, to be copied into another store.
package struct AdCostTable: Sendable {
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

    /// Which ads.
    package let ads: AdTraffic
    /// How many ads were signed.
    package var signed: [Row: Int64] = [:]
    /// Which lines of which writers they are from.
    package var sequences: [Nonce: SequenceRanges] = [:]
    /// What was spent.
    package var spend: [Spend] = []

    /// Whether some of it cannot be read, and is left out.
    package var isIncomplete = false

    /// Leaves signed ads out: sums without their lines would count twice.
    package mutating func leaveOutSigned() {
        (signed, sequences, isIncomplete) = ([:], [:], true)
    }

    /// Without anything.
    package init(of ads: AdTraffic) {
        self.ads = ads
    }
}
