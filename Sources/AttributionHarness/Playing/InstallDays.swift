import Attribution

/// Plays the installs of single days; no day depends on another, so that several can be played side by side.
struct InstallDays: Sendable {
    /// What one day came to, beside its postbacks.
    struct Outcome: Sendable {
        /// How many installs our networks had a part in or might have had.
        var installs = 0
        /// How many postbacks devices gave up.
        var givenUp = 0
    }

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

    /// Plays the installs of a day.
    ///
    /// - Parameters:
    ///   - day: The day of the scenario, from 1; before that for what was running already.
    ///   - take: Takes each postback, with the times at which its copies reach the server.
    /// - Returns: What else came of it.
    func play(_ day: Int, _ take: (SimulatedPostback) -> Void) -> Outcome {
        // Mixed twice: seeds a fixed step apart would give each day the numbers of the day before.
        var days = SeededGenerator(seed: seed ^ (UInt64(bitPattern: Int64(day)) &* 0xD134_2543_DE82_EF95))
        var generator = SeededGenerator(seed: days.next())
        let weekday = DailyVolume.weekday(ofDay: day, since: start)
        let volumes = scenario.campaigns.map { campaign in
            generator.count(mean: DailyVolume.expected(of: campaign, day: day, weekday: weekday))
        }
        let today = DayOfInstalls(scenario, crowds: CampaignCrowds(scenario, installs: volumes), day: day)
        var outcome = Outcome()
        for (campaign, volume) in volumes.enumerated() {
            outcome.installs += volume
            for _ in 0..<volume {
                let installedAt =
                    Int64(day - 1) * AppleRules.day + DailyVolume.moment(using: &generator)
                var device = SimulatedDevice(
                    campaign: campaign, installedAt: installedAt, today: today,
                    generator: SeededGenerator(seed: generator.next()))
                device.live { postback in
                    if let delivered = delivered(postback) {
                        take(delivered)
                    } else {
                        outcome.givenUp += 1
                    }
                }
            }
        }
        return outcome
    }

    // MARK: On the way

    /// Decides when the copies of a postback reach the server: what delays them, and which of their tries succeed.
    ///
    /// - Returns: The postback with its times; nil when the device gives up.
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
        _ postback: SimulatedPostback,
        at time: Int64,
        otherCopyAt: Int64? = nil,
        isDeveloperFirst: Bool = false
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
