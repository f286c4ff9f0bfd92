import Attribution

extension ConversionUpdate {
    /// What an app calls on one device: once at the first launch, some more in the first window, and once in each later
    /// window somebody is back in.
    ///
    /// - Parameters:
    ///   - behavior: How people behave.
    ///   - day: The day of the install.
    ///   - generator: Draws what is chance.
    /// - Returns: The calls in order of time.
    static func draw(
        _ behavior: Scenario.Behavior,
        day: Int,
        using generator: inout SeededGenerator
    ) -> [ConversionUpdate] {
        guard generator.chance(behavior.setsValue) else {
            return []
        }
        let values = behavior.values.last { $0.from <= max(day, 1) } ?? behavior.values[0]
        let span = values.highest - values.lowest
        var reached = 0.0
        var times: [Int64] = [Int64.random(in: 0..<AppleRules.hour, using: &generator)]
        for _ in 0..<generator.count(mean: behavior.updates) {
            times.append(Int64.random(in: AppleRules.hour..<2 * AppleRules.day, using: &generator))
        }
        times.sort()
        if generator.chance(behavior.comesBack) {
            times.append(Int64.random(in: 2 * AppleRules.day..<7 * AppleRules.day, using: &generator))
            if generator.chance(behavior.comesBack) {
                times.append(Int64.random(in: 7 * AppleRules.day..<35 * AppleRules.day, using: &generator))
            }
        }
        return times.map { at in
            // Values mostly go up, by less the higher they are.
            reached += (1 - reached) * Double.random(in: 0..<0.4, using: &generator)
            let coarse: CoarseConversionValue = reached < 0.3 ? .low : reached < 0.6 ? .medium : .high
            return ConversionUpdate(
                at: at, fine: values.lowest + Int(reached * Double(span) + 0.5), coarse: coarse,
                locksWindow: generator.chance(behavior.locks))
        }
    }
}
