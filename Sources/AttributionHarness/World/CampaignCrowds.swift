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
    ///
    /// - Parameters:
    ///   - scenario: The campaigns.
    ///   - installs: The installs of the day by campaign.
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
