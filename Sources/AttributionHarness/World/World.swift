package import Attribution

/// Devices and networks on a simulated clock: returns the postbacks of a scenario hour by hour, in order of time.
///
/// The same scenario, start and seed give the same postbacks. Only postbacks that are on their way are in memory.
package struct World: Sendable {
    package let scenario: Scenario
    /// The calendar day on which the scenario begins.
    package let start: CalendarDay
    /// How many postbacks devices gave up because no server answered in nine days.
    package private(set) var givenUp = 0
    /// How many postbacks will only be sent after the end of the scenario.
    package private(set) var lateCount = 0
    /// The next hour, counted from the beginning.
    private(set) var hour = 0
    let seed: UInt64
    private let installDays: InstallDays
    /// The next day to simulate; before 1 for campaigns that were already running.
    private var day: Int
    /// Selects the postbacks that are returned; nil for all.
    private var selection: Selection?
    /// The postbacks on their way, by hour.
    private var pending: [Int: [SimulatedPostback]] = [:]

    /// Makes a world at the beginning of its scenario.
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

    /// Makes a world of ordinary days with exactly so many postbacks.
    package static func plain(
        count: Int, days: Int = 30, faults: Double = 1, start: CalendarDay = CalendarDay(number: 20_454), seed: UInt64
    ) async throws -> World {
        // At scale 1 some 200 postbacks a day; a few more than needed are simulated, and the rest are left out.
        var scale = Double(count) / Double(days) / 200 + 0.05
        while true {
            var scenario = try Scenario.plain(days: days, scale: scale)
            scenario.scaleFaults(by: faults)
            var world = World(scenario, start: start, seed: seed)
            let all = await world.count()
            if all >= count {
                world.selection = Selection(
                    wanted: count, remaining: all, generator: SeededGenerator(seed: world.seed ^ 0x7417))
                return world
            }
            scale *= max(1.1, 1.05 * Double(count) / Double(max(all, 1)))
        }
    }

    /// The postbacks of the next hour; nil when the scenario is over.
    package mutating func nextHour() -> [SimulatedPostback]? {
        guard hour < scenario.days * 24 else {
            return nil
        }
        // No postback is sent on the day of its install, but some are in the first hours of the next.
        while day <= hour / 24 + 1 {
            play()
            day += 1
        }
        defer { hour += 1 }
        var postbacks = pending.removeValue(forKey: hour) ?? []
        postbacks.sort { ($0.time, $0.idHigh, $0.sequenceIndex) < ($1.time, $1.idHigh, $1.sequenceIndex) }
        if var selection {
            postbacks = postbacks.filter { _ in selection.takesNext() }
            self.selection = selection
        }
        return postbacks
    }

    /// The number of postbacks of the whole scenario, counted on all cores.
    private func count() async -> Int {
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

    /// Selects a number of elements in order, each equally likely.
    private struct Selection {
        var wanted: Int
        var remaining: Int
        var generator: SeededGenerator

        mutating func takesNext() -> Bool {
            let isTaken = remaining > 0 && Int.random(in: 0..<remaining, using: &generator) < wanted
            remaining -= 1
            wanted -= isTaken ? 1 : 0
            return isTaken
        }
    }

    /// Simulates the installs of a day, and keeps their postbacks until their hour.
    private mutating func play() {
        let hours = scenario.days * 24
        let lost = installDays.play(day) { postback in
            let hour = Int(postback.time / AppleRules.hour)
            if postback.time >= 0, hour >= self.hour, hour < hours {
                pending[hour, default: []].append(postback)
            } else if hour >= hours {
                lateCount += 1
            }
        }
        givenUp += lost
    }
}
