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

    /// Takes a sum of signed ads, unless one of its values cannot be read or cannot have been counted.
    package mutating func addSigned(_ campaign: StoredCampaign?, day: Int64?, count: Int64?) {
        guard let campaign, let day, let count, AdCosts.plausibleCounts.contains(count) else {
            isIncomplete = true
            return
        }
        signed[Row(day: day, campaign: campaign)] = count
    }

    /// Takes an amount, unless one of its values cannot be read or cannot have been paid.
    package mutating func addSpend(_ campaign: StoredCampaign?, day: Int64?, currency: String?, micros: Int64?) {
        guard let campaign = campaign?.spend, let day, let currency = currency.flatMap({ CurrencyCode($0) }),
            let micros, AdCosts.plausibleMicros.contains(micros)
        else {
            isIncomplete = true
            return
        }
        spend.append(
            Spend(
                key: .init(day: CalendarDay(number: day), campaign: campaign, currency: currency),
                amount: Money(micros: micros)))
    }

    /// Leaves signed ads out: sums without their lines would count twice.
    package mutating func leaveOutSigned() {
        (signed, sequences, isIncomplete) = ([:], [:], true)
    }

    /// Without anything.
    package init(of ads: AdTraffic) {
        self.ads = ads
    }
}
