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
    let seed: UInt64
    private let installDays: InstallDays
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
        installDays = InstallDays(scenario, start: start, seed: self.seed)
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

    /// How many postbacks it hands out, from its beginning to its end.
    ///
    /// - Returns: The number, counted on all cores.
    package func count() async -> Int {
        let end = Int64(scenario.days) * AppleRules.day
        return await withTaskGroup(of: Int.self) { group in
            for day in (1 - scenario.runningSince)...scenario.days {
                group.addTask { [installDays] in
                    var count = 0
                    _ = installDays.play(day) { count += (0..<end).contains($0.time) ? 1 : 0 }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
    }

    /// The same world with exactly so many postbacks, chosen evenly; one that has fewer is left as it is.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - all: How many it has, as ``count()`` says.
    /// - Returns: The world.
    package func thinned(to count: Int, of all: Int) -> World {
        var world = self
        world.selection = Selection(wanted: count, left: all, generator: SeededGenerator(seed: seed ^ 0x7417))
        return world
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

    /// Plays the installs of a day, and keeps what they send until its hour.
    private mutating func play() {
        let hours = scenario.days * 24
        let outcome = installDays.play(day) { postback in
            let hour = Int(postback.time / AppleRules.hour)
            if postback.time >= 0, hour >= self.hour, hour < hours {
                pending[hour, default: []].append(postback)
            } else if hour >= hours {
                lateCount += 1
            }
        }
        installs += outcome.installs
        givenUp += outcome.givenUp
    }
}
