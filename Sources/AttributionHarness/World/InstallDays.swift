import Attribution
import Foundation

/// Simulates the installs of single days, which are independent, so that several can be simulated at once.
struct InstallDays: Sendable {
    let scenario: Scenario
    private let start: CalendarDay
    private let seed: UInt64
    private let outages: [Range<Int64>]

    init(_ scenario: Scenario, start: CalendarDay, seed: UInt64) {
        self.scenario = scenario
        self.start = start
        self.seed = seed
        outages = scenario.outages.map(\.range)
    }

    /// Simulates the installs of a day, from 1 or lower for campaigns that were already running, and returns how many
    /// postbacks devices gave up.
    func play(_ day: Int, _ send: (SimulatedPostback) -> Void) -> Int {
        // Mixed twice: seeds a fixed step apart would give each day the numbers of the day before.
        var days = SeededGenerator(seed: seed ^ (UInt64(bitPattern: Int64(day)) &* 0xD134_2543_DE82_EF95))
        var generator = SeededGenerator(seed: days.next())
        let weekday = DailyVolume.weekday(ofDay: day, since: start)
        let volumes = scenario.campaigns.map { campaign in
            generator.count(mean: DailyVolume.expected(of: campaign, day: day, weekday: weekday))
        }
        let today = DayOfInstalls(scenario, crowds: CampaignCrowds(scenario, installs: volumes), day: day)
        var givenUp = 0
        for (campaign, volume) in volumes.enumerated() {
            for _ in 0..<volume {
                let installedAt = Int64(day - 1) * AppleRules.day + DailyVolume.moment(using: &generator)
                var device = SimulatedDevice(
                    campaign: campaign, installedAt: installedAt, today: today,
                    generator: SeededGenerator(seed: generator.next()))
                device.live { postback in
                    if let delivered = delivered(postback) {
                        send(delivered)
                    } else {
                        givenUp += 1
                    }
                }
            }
        }
        return givenUp
    }

    // MARK: Delivery

    /// The postback with the times at which its copies reach the server; nil when the device gives up.
    private func delivered(_ postback: SimulatedPostback) -> SimulatedPostback? {
        var generator = SeededGenerator(seed: postback.idHigh ^ postback.idLow &+ UInt64(postback.sequenceIndex))
        let sentAt = postback.time
        var networkAt = sentAt
        let day = Int(sentAt / AppleRules.day) + 1
        for wave in scenario.faults where wave.fault.isDelay && wave.covers(day: day, campaign: Int(postback.campaign))
        {
            if generator.chance(wave.share) {
                networkAt += wave.fault.delay(using: &generator)
            }
        }
        let network = arrival(of: networkAt, &generator)
        let app = scenario.campaigns[Int(postback.campaign)].app
        guard scenario.apps[app].copies.reachUs(of: postback) else {
            return network.map { Self.arriving(postback, at: $0) }
        }
        // Both are sent at the same time, and either may be the faster.
        let offset = Int64.random(in: 1...1_000, using: &generator)
        let developer = arrival(of: generator.chance(0.5) ? sentAt + offset : sentAt - offset, &generator)
        return switch (network, developer) {
        case (nil, nil): nil
        case (let network?, nil): Self.arriving(postback, at: network)
        case (let network?, let developer?) where network <= developer:
            Self.arriving(postback, at: network, otherCopyAt: max(developer, network + 1))
        case (let network, let developer?):
            Self.arriving(postback, at: developer, otherCopyAt: network, isDeveloperFirst: true)
        }
    }

    /// The time of the first try that finds a server.
    private func arrival(of first: Int64, _ generator: inout SeededGenerator) -> Int64? {
        guard !outages.isEmpty else {
            return first
        }
        let schedule = RetrySchedule(first: first, using: &generator)
        return schedule.firstDelivered(outside: outages).map { schedule.time(ofTry: $0) }
    }

    private static func arriving(
        _ postback: SimulatedPostback, at time: Int64, otherCopyAt: Int64? = nil, isDeveloperFirst: Bool = false
    ) -> SimulatedPostback {
        var postback = postback
        postback.time = time
        postback.otherCopyAt = otherCopyAt
        if isDeveloperFirst {
            postback.flags.insert(.isDeveloperFirst)
        }
        return postback
    }
}

/// How many installs a campaign has on a day, and at what time.
enum DailyVolume {
    /// Evenings are busy and nights are quiet.
    private static let hours: [Double] = [
        2, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 5, 5, 4, 4, 5, 5, 6, 7, 8, 8, 6, 4,
    ]

    /// The expected number of installs on a day of the scenario; before day 1, of campaigns that were already running.
    static func expected(of campaign: Scenario.Campaign, day: Int, weekday: Int) -> Double {
        let isRunning = day < 1 ? campaign.from == 1 : (campaign.from...campaign.through).contains(day)
        guard isRunning else {
            return 0
        }
        let weeks = Double(day - campaign.from) / 7
        let growth = campaign.growth == 1 ? 1 : pow(campaign.growth, weeks)
        return campaign.installs * campaign.weekdays[weekday] * growth
    }

    /// The day of the week of a day of the scenario, 0 for Monday.
    static func weekday(ofDay day: Int, since start: CalendarDay) -> Int {
        Int((start.number + Int64(day) - 1 + 3) % 7 + 7) % 7
    }

    /// A random time of day, in milliseconds since midnight.
    static func moment(using generator: inout SeededGenerator) -> Int64 {
        let hour = generator.index(ofWeights: hours)
        return Int64(hour) * AppleRules.hour + Int64.random(in: 0..<AppleRules.hour, using: &generator)
    }
}
