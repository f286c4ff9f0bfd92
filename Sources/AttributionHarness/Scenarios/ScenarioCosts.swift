package import Attribution

/// What a scenario's network knows of its ads besides the postbacks, on the days of the scenario.
///
/// Ads that are shown before the first day are not among them, though postbacks of their installs are.
package struct ScenarioCosts: Sendable {
    /// How many ads it signed for each campaign on each day, in lines as `skan serve --counts` writes them.
    package private(set) var signed: [SignedImpressionCount] = []
    /// What these cost, and Apple's, which others sign.
    package var spend: [Spend] {
        spendKeys.compactMap { key in amounts[key].map { Spend(key: key, amount: $0) } }
    }

    private let scenario: Scenario
    private let writer: Nonce
    private var spendKeys: [Spend.Key] = []
    /// Added up, for several campaigns may have one number.
    private var amounts: [Spend.Key: Money] = [:]
    private var generator: SeededGenerator

    /// Draws them, up to the last moment whose ads are known, in Unix milliseconds.
    package init(_ world: World, through end: Int64 = .max) {
        scenario = world.scenario
        generator = SeededGenerator(seed: world.seed ^ 0xC057)
        writer = Nonce(using: &generator)
        for number in 1...scenario.days {
            let day = world.start.advanced(by: Int64(number) - 1)
            let start = day.number * AppleRules.day
            guard end > start else {
                return
            }
            let weekday = DailyVolume.weekday(ofDay: number, since: world.start)
            for campaign in scenario.campaigns {
                guard let price = campaign.costs else {
                    continue
                }
                let installs = DailyVolume.expected(of: campaign, day: number, weekday: weekday)
                draw(
                    installs * price.ads, campaign, price, number: number, day,
                    until: min(AppleRules.day, end - start))
            }
        }
    }

    /// Draws the ads of a campaign on a day, of which only a beginning may be known.
    private mutating func draw(
        _ ads: Double, _ campaign: Scenario.Campaign, _ price: Scenario.AdPrice, number: Int, _ day: CalendarDay,
        until elapsed: Int64
    ) {
        let known = Double(elapsed) / Double(AppleRules.day)
        let amount = price.perThousand / 1_000 * Double.random(in: 0.95...1.05, using: &generator)
        for share in NetworkShare.shares(of: campaign, onDay: number, in: scenario) {
            let mean = ads * share.weight * Double.random(in: 0.9...1.1, using: &generator)
            let count = generator.count(mean: mean * known)
            guard count > 0 else {
                continue
            }
            let seconds = day.number * 86_400
            if !share.isOfAppleAds {
                signed.append(
                    SignedImpressionCount(
                        campaign: share.signed, writer: writer, sequence: Int64(signed.count) + 1,
                        seconds: seconds..<seconds + max(1, elapsed / 1_000), signed: Int64(count)))
            }
            let key = Spend.Key(day: day, campaign: share.spent, currency: price.currency)
            if amounts[key] == nil {
                spendKeys.append(key)
            }
            // To the cent.
            amounts[key, default: .zero] += Money(micros: Int64((Double(count) * amount * 100).rounded()) * 10_000)
        }
    }
}

/// The ads of a campaign that are signed under one id of its network.
private struct NetworkShare {
    /// The share of the campaign's ads.
    let weight: Double
    /// Whether Apple signs them.
    let isOfAppleAds: Bool
    /// What they are counted by.
    let signed: SignedCampaign
    /// What their price is stated for.
    let spent: SpendCampaign

    /// The ads by the ids of the network, for those of AdAttributionKit may have another one.
    static func shares(of campaign: Scenario.Campaign, onDay day: Int, in scenario: Scenario) -> [NetworkShare] {
        let network = scenario.networks[campaign.network]
        let versions = campaign.shares(onDay: day)
        let all = versions.reduce(0) { $0 + $1.weight }
        var ids: [String] = []
        for version in versions where !ids.contains(network.id(in: version.choice)) {
            ids.append(network.id(in: version.choice))
        }
        return ids.compactMap { id in
            let own = versions.filter { network.id(in: $0.choice) == id && $0.weight > 0 }
            guard let network = AdNetworkID(id), all > 0, !own.isEmpty else {
                return nil
            }
            let app = AppStoreItemID(scenario.apps[campaign.app].id)
            let campaignID =
                own.contains { $0.choice < .v4_0 } ? CampaignID(Int64(campaign.campaignID)) : nil
            let identifier = own.contains { $0.choice >= .v4_0 } ? Int64(campaign.sourceIdentifier) : nil
            return NetworkShare(
                weight: own.reduce(0) { $0 + $1.weight } / all,
                isOfAppleAds: id == Scenario.Network.appleAds,
                signed: SignedCampaign(
                    network: network, app: app, campaignID: campaignID,
                    sourceIdentifier: identifier.flatMap { ImpressionSourceIdentifier($0) }),
                spent: SpendCampaign(
                    network: network, app: app, campaignID: campaignID,
                    sourceIdentifier: identifier.flatMap { SourceIdentifier($0.padded(to: 4)) }))
        }
    }
}
