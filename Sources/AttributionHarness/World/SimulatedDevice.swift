import Attribution

/// What the installs of a day have in common.
///
/// A class, so that a device holds one reference instead of each array of a scenario, whose reference counts all cores
/// share.
final class DayOfInstalls: Sendable {
    let scenario: Scenario
    let crowds: CampaignCrowds
    let day: Int

    init(_ scenario: Scenario, crowds: CampaignCrowds, day: Int) {
        self.scenario = scenario
        self.crowds = crowds
        self.day = day
    }
}

/// One install on one device: the ads it remembers, the winner, the app's updates, and the resulting postbacks.
struct SimulatedDevice {
    private let today: DayOfInstalls
    private let campaign: Scenario.Campaign
    private let campaignIndex: Int
    private let installedAt: Int64
    private let rules: AppleRules
    private let source: Int
    private var generator: SeededGenerator

    /// Prepares an install of the campaign with an index, at a time in milliseconds since the scenario began.
    init(campaign: Int, installedAt: Int64, today: DayOfInstalls, generator: SeededGenerator) {
        self.today = today
        campaignIndex = campaign
        self.campaign = today.scenario.campaigns[campaign]
        self.installedAt = installedAt
        self.generator = generator
        rules = AppleRules(self.generator.pick(self.campaign.shares(onDay: today.day)) ?? .v4_0)
        var source = self.generator.pick(self.campaign.sources) ?? 0
        if rules.version != .v4_0, today.scenario.sources[source].app == nil {
            // Only 4.0 has web ads.
            source = self.campaign.sources.first { today.scenario.sources[$0.choice].app != nil }?.choice ?? source
        }
        self.source = source
    }

    /// Simulates the install, and calls `send` with each postback of our networks and the time of its first try.
    mutating func live(_ send: (SimulatedPostback) -> Void) {
        let app = today.scenario.apps[campaign.app]
        guard generator.chance(app.launches), let selection = AdSelection(among: ads(app), rules: rules) else {
            return
        }
        let launch = generator.delay(mean: 6 * AppleRules.hour)
        guard rules.registers(firstCallAfter: launch) else {
            return
        }
        let launchedAt = installedAt + launch
        let kind: SimulatedPostback.Kind = generator.chance(app.redownloads) ? .redownload : .download
        if let winner = selection.winner.campaign {
            win(selection.winner, campaign: winner, kind, launchedAt: launchedAt, send)
        }
        for loser in selection.losers {
            if let campaign = loser.campaign {
                lose(loser, campaign: campaign, kind, launchedAt: launchedAt, send)
            }
        }
    }

    // MARK: Ads

    /// The ads that were shown and that the app does not ignore: that of the campaign, and those of others.
    private mutating func ads(_ app: Scenario.App) -> [ShownAd] {
        let isSite = today.scenario.sources[source].domain != nil
        let isTap = isSite || !rules.hasViews || !generator.chance(campaign.views)
        // Most install at once; a few come back to an ad weeks later, or too late.
        let age = generator.delay(mean: isTap ? 2 * AppleRules.day : 8 * AppleRules.hour)
        let views = Double(age) / Double(AppleRules.hour) * today.scenario.sources[source].viewsAnHour
        var ads = [
            ShownAd(
                network: campaign.network, campaign: campaignIndex, isTap: isTap, age: age,
                laterViews: isTap ? 0 : generator.count(mean: views))
        ]
        for _ in 0..<generator.count(mean: campaign.rivals) {
            let network = Int.random(in: 0..<today.scenario.networks.count, using: &generator)
            let own = today.scenario.campaigns.firstIndex { other in
                other.network == network && other.app == campaign.app
                    && (other.from...other.through).contains(max(today.day, 1))
            }
            let isTap = !rules.hasViews || generator.chance(0.5)
            ads.append(
                ShownAd(
                    network: network, campaign: own, isTap: isTap,
                    age: generator.delay(mean: isTap ? 2 * AppleRules.day : 8 * AppleRules.hour)))
        }
        guard rules.version == .adAttributionKit, !app.rules.windows.isEmpty else {
            return ads
        }
        return ads.compactMap { ad in
            ad.limited(by: app.rules, network: today.scenario.networks[ad.network].id(in: .adAttributionKit))
        }
    }

    // MARK: Postbacks

    private mutating func win(
        _ ad: ShownAd,
        campaign: Int,
        _ kind: SimulatedPostback.Kind,
        launchedAt: Int64,
        _ send: (SimulatedPostback) -> Void
    ) {
        let behavior = today.scenario.behaviors[today.scenario.campaigns[campaign].behavior]
        let updates = ConversionUpdate.draw(behavior, day: today.day, using: &generator)
        guard rules.hasWindows else {
            var postback = start(ad, campaign: campaign, kind)
            postback.flags.insert(.didWin)
            let timer = ConversionTimer(updates)
            if rules.version >= .v2_0, today.crowds.showsAll(campaign: campaign) {
                postback.flags.insert(.showsSource)
                postback.conversion = timer.value.map { .fine($0) } ?? .absent
            }
            postback.launchedAt = launchedAt
            postback.time = launchedAt + timer.endsAt + sendingDelay(afterWindow: 0)
            send(postback)
            return
        }
        let reengagements = reengagementTimes(behavior, launchedAt: launchedAt)
        let overlaps = today.scenario.apps[self.campaign.app].overlapsReengagements
        sendWindows(
            ConversionWindow.windows(updates, until: overlaps ? nil : reengagements.first), of: ad, campaign: campaign,
            kind, from: launchedAt, send)
        for (index, reengagedAt) in reengagements.enumerated() {
            guard rules.registers(firstCallAfter: generator.delay(mean: 4 * AppleRules.hour), isReengagement: true)
            else {
                continue
            }
            let tap = ShownAd(network: ad.network, campaign: campaign, isTap: true, age: 0)
            let updates = ConversionUpdate.draw(behavior, day: today.day, using: &generator)
            let next = overlaps ? nil : reengagements.dropFirst(index + 1).first
            sendWindows(
                ConversionWindow.windows(updates, until: next.map { $0 - reengagedAt }), of: tap, campaign: campaign,
                .reengagement, from: launchedAt + reengagedAt, send)
        }
    }

    /// When taps re-engage, in milliseconds since the first launch.
    private mutating func reengagementTimes(_ behavior: Scenario.Behavior, launchedAt: Int64) -> [Int64] {
        guard rules.version == .adAttributionKit, generator.chance(behavior.reengages) else {
            return []
        }
        let first = Int64.random(in: AppleRules.day...30 * AppleRules.day, using: &generator)
        var taps = [first]
        if behavior.reengagesAgain > 0, generator.chance(behavior.reengagesAgain) {
            taps.append(first + Int64.random(in: AppleRules.hour...30 * AppleRules.day, using: &generator))
        }
        let appRules = today.scenario.apps[campaign.app].rules
        return appRules.reengagements(taps, installedAt: installedAt - launchedAt)
    }

    private mutating func sendWindows(
        _ windows: [ConversionWindow],
        of ad: ShownAd,
        campaign: Int,
        _ kind: SimulatedPostback.Kind,
        from launchedAt: Int64,
        _ send: (SimulatedPostback) -> Void
    ) {
        let choice = today.crowds.choice(campaign: campaign, source: source)
        var postback = start(ad, campaign: campaign, kind)
        postback.launchedAt = launchedAt
        postback.flags.insert(.didWin)
        show(choice, of: &postback, campaign: campaign)
        // Whether the windows of an install share one id is not documented, so both happen.
        let sharesID = generator.chance(0.5)
        for window in windows where window.sequenceIndex == 0 || choice.tier.hasLaterWindows {
            var copy = postback
            copy.sequenceIndex = UInt8(window.sequenceIndex)
            if window.sequenceIndex == 0 {
                copy.conversion =
                    if choice.tier.showsFine {
                        window.fine.map { .fine($0) } ?? .absent
                    } else if choice.tier == .one {
                        window.coarse.map { .coarse($0) } ?? .absent
                    } else {
                        .absent
                    }
                if choice.tier.showsSource {
                    copy.flags.insert(.showsSource)
                }
            } else {
                copy.digits = 2
                copy.conversion = window.coarse.map { .coarse($0) } ?? .absent
                if !sharesID {
                    copy.idHigh = generator.next()
                    copy.idLow = generator.next()
                }
            }
            copy.time = launchedAt + window.endsAt + sendingDelay(afterWindow: window.sequenceIndex)
            send(copy)
        }
    }

    private mutating func lose(
        _ ad: ShownAd,
        campaign: Int,
        _ kind: SimulatedPostback.Kind,
        launchedAt: Int64,
        _ send: (SimulatedPostback) -> Void
    ) {
        var postback = start(ad, campaign: campaign, kind)
        if rules.hasWindows {
            show(today.crowds.choice(campaign: campaign, source: source), of: &postback, campaign: campaign)
            postback.country = .max
        }
        let end = rules.hasWindows ? AppleRules.windowEnds[0] : AppleRules.timer
        postback.launchedAt = launchedAt
        postback.time = launchedAt + end + sendingDelay(afterWindow: 0)
        send(postback)
    }

    private mutating func sendingDelay(afterWindow index: Int) -> Int64 {
        Int64.random(in: rules.delay(afterWindow: index), using: &generator)
    }

    /// A postback with the fields that do not depend on the outcome.
    private mutating func start(_ ad: ShownAd, campaign: Int, _ kind: SimulatedPostback.Kind) -> SimulatedPostback {
        var postback = SimulatedPostback(
            time: 0, idHigh: generator.next(), idLow: generator.next(), campaign: UInt16(campaign),
            source: UInt16(source), version: rules.version)
        postback.kind = kind
        if ad.isTap {
            postback.flags.insert(.isTap)
        }
        // Systems write UUIDs in either case, and 1.0 comes with and without what it does not sign.
        for flag in [SimulatedPostback.Flags.isInCapitals, .namesVersion, .saysRedownload] where generator.chance(0.5) {
            postback.flags.insert(flag)
        }
        return postback
    }

    /// Adds what the crowd allows, in versions with tiers.
    private mutating func show(_ choice: TierChoice, of postback: inout SimulatedPostback, campaign: Int) {
        postback.digits = UInt8(choice.digits)
        guard rules.version == .adAttributionKit else {
            return
        }
        let app = today.scenario.apps[today.scenario.campaigns[campaign].app]
        let country = generator.index(ofWeights: app.countries.lazy.map(\.weight))
        if today.crowds.showsCountry(country, campaign: campaign) {
            postback.country = UInt8(country)
        }
        let marketplace = generator.index(ofWeights: app.marketplaces.lazy.map(\.weight))
        if choice.tier.hasLaterWindows {
            postback.marketplace = UInt8(marketplace)
        }
    }
}
