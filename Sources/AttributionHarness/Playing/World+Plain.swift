package import Attribution
package import CodedErrors

extension World {
    /// A world of ordinary days whose devices deliver exactly so many postbacks.
    ///
    /// - Parameters:
    ///   - count: How many distinct genuine postbacks.
    ///   - days: How many days.
    ///   - faults: The factor of the shares of all faults.
    ///   - start: The first day.
    ///   - seed: Decides what is chance.
    /// - Returns: The world.
    /// - Throws: ``DocumentProblem``; the scenario is part of the program.
    package static func plain(
        count: Int,
        days: Int,
        faults: Double,
        start: CalendarDay,
        seed: UInt64
    ) async throws(DocumentProblem) -> World {
        // A small world tells how much a large one makes; chance asks for some more than is needed.
        let sample = await World(try .plain(days: days), start: start, seed: seed).count()
        var scale = Double(count) / Double(max(sample, 1)) * 1.01 + 0.05
        while true {
            var scenario = try Scenario.plain(days: days, scale: scale)
            scenario.scaleFaults(by: faults)
            let world = World(scenario, start: start, seed: seed)
            let all = await world.count()
            if all >= count {
                return world.thinned(to: count, of: all)
            }
            scale *= 1.1
        }
    }
}
