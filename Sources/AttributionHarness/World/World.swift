package import Attribution

/// Devices and networks on a clock of their own: hands out the postbacks of a scenario hour by hour, in order of time.
///
/// The same scenario, start and seed make the same postbacks. Only what is on its way is in memory: an install is
/// played when its day comes, and ads that win nothing are drawn, not stored.
package struct World: Sendable {
    /// What is played.
    package let scenario: Scenario
    /// The day of the calendar on which it begins.
    package let start: CalendarDay
    /// How many postbacks devices gave up, for the server did not answer in nine days.
    package private(set) var givenUp = 0
    /// How many postbacks are to come only after the end of the scenario.
    package private(set) var lateCount = 0
    /// How many installs our networks had a part in or might have had.
    package private(set) var installs = 0
    private let seed: UInt64
    private let outages: [Range<Int64>]
    /// The hour handed out next, counted from the beginning.
    private var hour = 0
    /// The day played next; before 1 for what was running already.
    private var day: Int
    /// Which of the postbacks are kept; nil for all.
    private var selection: Selection?
    /// The postbacks on their way, by hour.
    private var pending: [Int: [SimulatedPostback]] = [:]

    /// Makes a world at the beginning of its scenario.
    ///
    /// - Parameters:
    ///   - scenario: What is played.
    ///   - start: The day of the calendar on which it begins.
    ///   - seed: Decides what is chance.
    package init(_ scenario: Scenario, start: CalendarDay, seed: UInt64) {
        self.scenario = scenario
        self.start = start
        // Two scenarios, or two months of one, must not share the ids of their postbacks in one store.
        let name = scenario.name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var mixed = SeededGenerator(seed: seed ^ name &+ UInt64(bitPattern: start.number) &* 0xD134_2543_DE82_EF95)
        self.seed = mixed.next()
        outages = scenario.outages.map(\.range)
        day = 1 - scenario.runningSince
    }

    /// The postbacks of the next hour; nil when the scenario is over.
    package mutating func nextHour() -> [SimulatedPostback]? {
        guard hour < scenario.days * 24 else {
            return nil
        }
        // No postback is sent on the day of its install, but the first hours of the next may have some.
        while day <= hour / 24 + 1 {
            play()
            day += 1
        }
        defer { hour += 1 }
        var postbacks = pending.removeValue(forKey: hour) ?? []
        postbacks.sort { ($0.time, $0.idHigh, $0.sequenceIndex) < ($1.time, $1.idHigh, $1.sequenceIndex) }
        if var selection {
            postbacks = postbacks.filter { _ in selection.takes() }
            self.selection = selection
        }
        return postbacks
    }

    /// The same world with exactly so many postbacks, chosen evenly; one that has fewer is left as it is.
    ///
    /// - Parameter count: How many.
    /// - Returns: The world, and how many postbacks it would have had.
    package func thinned(to count: Int) -> (World, of: Int) {
        var rehearsal = self
        var all = 0
        while let hour = rehearsal.nextHour() {
            all += hour.count
        }
        var world = self
        world.selection = Selection(wanted: count, left: all, generator: SeededGenerator(seed: seed ^ 0x7417))
        return (world, all)
    }

    /// Takes so many of so many, each as likely as any other, in order.
    private struct Selection {
        var wanted: Int
        var left: Int
        var generator: SeededGenerator

        mutating func takes() -> Bool {
            let isTaken = left > 0 && Int.random(in: 0..<left, using: &generator) < wanted
            left -= 1
            wanted -= isTaken ? 1 : 0
            return isTaken
        }
    }

    /// Plays the installs of a day.
    private mutating func play() {
        // Mixed twice: seeds a fixed step apart would give each day the numbers of the day before.
        var days = SeededGenerator(seed: seed ^ (UInt64(bitPattern: Int64(day)) &* 0xD134_2543_DE82_EF95))
        var generator = SeededGenerator(seed: days.next())
        let weekday = Int((start.number + Int64(day) - 1 + 3) % 7 + 7) % 7
        let volumes = scenario.campaigns.map { campaign in
            generator.count(mean: DailyVolume.expected(of: campaign, day: day, weekday: weekday))
        }
        let crowds = CampaignCrowds(scenario, installs: volumes)
        for (campaign, volume) in volumes.enumerated() {
            installs += volume
            for _ in 0..<volume {
                let installedAt =
                    Int64(day - 1) * AppleRules.day + DailyVolume.moment(using: &generator)
                var device = SimulatedDevice(
                    campaign: campaign, day: day, installedAt: installedAt, scenario: scenario, crowds: crowds,
                    generator: SeededGenerator(seed: generator.next()))
                device.live { deliver($0) }
            }
        }
    }

    /// Puts a postback on its way: what delays it and which of its tries reaches the server is decided at once.
    private mutating func deliver(_ postback: SimulatedPostback) {
        var postback = postback
        var generator = SeededGenerator(seed: postback.idHigh ^ postback.idLow &+ UInt64(postback.sequenceIndex))
        let day = Int(postback.time / AppleRules.day) + 1
        for wave in scenario.faults where wave.fault.isDelay && wave.covers(day: day, campaign: Int(postback.campaign))
        {
            if generator.chance(wave.share) {
                postback.time += wave.fault.delay(using: &generator)
            }
        }
        if !outages.isEmpty {
            let schedule = RetrySchedule(first: postback.time, using: &generator)
            guard let number = schedule.firstDelivered(outside: outages) else {
                givenUp += 1
                return
            }
            postback.time = schedule.time(ofTry: number)
        }
        let hour = Int(postback.time / AppleRules.hour)
        guard postback.time >= 0, hour >= self.hour else {
            return
        }
        guard hour < scenario.days * 24 else {
            lateCount += 1
            return
        }
        pending[hour, default: []].append(postback)
    }
}
