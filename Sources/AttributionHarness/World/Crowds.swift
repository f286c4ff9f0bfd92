/// How much a postback may say, by the size of the crowd it comes from.
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
package enum DataTier: CaseIterable, Comparable, Sendable {
    // The smaller crowd first.
    case zero, one, two, three

    /// Whether a first postback shows the fine value; it shows the coarse one in tier 1.
    package var showsFine: Bool {
        self >= .two
    }

    /// Whether a first postback shows who showed the ad.
    package var showsSource: Bool {
        self == .three
    }

    /// Whether anything but the first postback is sent, and whether AdAttributionKit names the marketplace.
    package var hasLaterWindows: Bool {
        self >= .one
    }
}

/// How many installs of a day make a crowd; Apple publishes no figure.
package struct CrowdThresholds: Hashable, Sendable {
    /// From how many installs on with one app and identifier tier 1 begins.
    package var tierOne = 10.0
    /// The same for tier 2.
    package var tierTwo = 30.0
    /// From how many installs on with one app, identifier and app that shows the ad tier 3 begins.
    package var tierThree = 60.0
    /// From how many installs on with one app and campaign a postback up to 3.0 shows all it can.
    package var single = 30.0
    /// From how many installs on with one app, identifier and country a postback shows the country.
    package var country = 30.0

    /// The figures used where a scenario says nothing.
    package init() {}

    package func tier(identifier: Double, source: Double) -> DataTier {
        if identifier < tierOne {
            .zero
        } else if identifier < tierTwo {
            .one
        } else {
            source < tierThree ? .two : .three
        }
    }
}

/// What a device decides of an identifier: how many digits it shows, in which tier.
package struct TierChoice: Hashable, Sendable {
    package let tier: DataTier
    /// The digits of the source identifier, 2, 3 or 4, counted from its end.
    package let digits: Int

    /// Decides: the highest tier, among equals the most digits; tiers 0 and 1 have two.
    package init(two: DataTier, three: DataTier, four: DataTier) {
        let best = max(two, three, four)
        tier = best
        digits = best <= .one ? 2 : four == best ? 4 : three == best ? 3 : 2
    }
}

/// How large the crowds of one day are, from which devices decide what their postbacks show.
struct CampaignCrowds {
    private let scenario: Scenario
    /// The installs of the day with one app and identifier, by campaign: of the last two digits, three and four.
    private let identifiers: [[Double]]
    /// The installs of the day with one app and `campaign-id`, by campaign.
    private let single: [Double]
    /// The share of each source among a campaign's, by campaign.
    private let sourceShares: [[Int: Double]]

    /// Counts the installs of a day.
    init(_ scenario: Scenario, installs: [Int]) {
        self.scenario = scenario
        let campaigns = scenario.campaigns
        func crowd(of campaign: Scenario.Campaign, _ identifier: (Scenario.Campaign) -> Int) -> Double {
            zip(campaigns, installs).reduce(0) { sum, other in
                let isOfCrowd = other.0.app == campaign.app && identifier(other.0) == identifier(campaign)
                return isOfCrowd ? sum + Double(other.1) : sum
            }
        }
        identifiers = campaigns.map { campaign in
            [100, 1_000, 10_000].map { modulus in crowd(of: campaign) { $0.sourceIdentifier % modulus } }
        }
        single = campaigns.map { crowd(of: $0) { $0.campaignID } }
        sourceShares = campaigns.map { campaign in
            let sum = campaign.sources.reduce(0) { $0 + $1.weight }
            return Dictionary(campaign.sources.map { ($0.choice, $0.weight / sum) }, uniquingKeysWith: +)
        }
    }

    /// What a device shows of an install of 4.0 or AdAttributionKit.
    func choice(campaign: Int, source: Int) -> TierChoice {
        let share = sourceShares[campaign][source] ?? 0
        let tiers = identifiers[campaign].map { crowd in
            scenario.crowds.tier(identifier: crowd, source: crowd * share)
        }
        return TierChoice(two: tiers[0], three: tiers[1], four: tiers[2])
    }

    /// Whether a device with a version up to 3.0 shows the conversion value and the source.
    func showsAll(campaign: Int) -> Bool {
        single[campaign] >= scenario.crowds.single
    }

    /// Whether a device shows its country.
    func showsCountry(_ country: Int, campaign: Int) -> Bool {
        let countries = scenario.apps[scenario.campaigns[campaign].app].countries
        let share = countries[country].weight / countries.reduce(0) { $0 + $1.weight }
        return identifiers[campaign][0] * share >= scenario.crowds.country
    }
}
