package import Attribution

/// A call with which an app updates its conversion values.
package struct ConversionUpdate: Hashable, Sendable {
    /// When, in milliseconds since the first launch.
    package let at: Int64
    /// The fine value, as the app gives it.
    package let fine: Int
    /// The coarse value, in versions that have it.
    package let coarse: CoarseConversionValue?
    /// Whether the window is to be locked.
    package let locksWindow: Bool

    package init(at: Int64, fine: Int, coarse: CoarseConversionValue? = nil, locksWindow: Bool = false) {
        self.at = at
        self.fine = fine
        self.coarse = coarse
        self.locksWindow = locksWindow
    }

    /// The fine value; nil for one out of range, with which a call does nothing.
    fileprivate var validFine: UInt8? {
        UInt8(exactly: fine).flatMap { $0 < 64 ? $0 : nil }
    }
}

/// The timer of versions up to 3.0.
package struct ConversionTimer: Hashable, Sendable {
    /// The value when the timer ends; nil when the app set none.
    package let value: UInt8?
    /// When it ends, in milliseconds since the first launch.
    package let endsAt: Int64

    /// Runs the timer: 24 hours from the first launch, and again from each update with a greater valid value.
    package init(_ updates: some Sequence<ConversionUpdate>) {
        var value: UInt8?
        var endsAt = AppleRules.timer
        for update in updates where update.at < endsAt {
            if let fine = update.validFine, value.map({ fine > $0 }) ?? true {
                value = fine
                endsAt = update.at + AppleRules.timer
            }
        }
        self.value = value
        self.endsAt = endsAt
    }
}

/// A conversion window of 4.0 or AdAttributionKit at its end.
package struct ConversionWindow: Hashable, Sendable {
    /// Which of the three, 0, 1 or 2.
    package let sequenceIndex: Int
    /// The fine value, of the first window alone; nil when the app set none.
    package let fine: UInt8?
    /// The coarse value; nil when the app set none.
    package let coarse: CoarseConversionValue?
    /// When it ended or was locked, in milliseconds since the first launch.
    package let endsAt: Int64

    /// Runs the windows: values go up and down, a lock ends a window at once, and fine values count in the first alone.
    ///
    /// The updates are in order of time; `reengagedAt` is when another conversion locked the present window and took the
    /// later ones away.
    package static func windows(_ updates: [ConversionUpdate], until reengagedAt: Int64? = nil) -> [ConversionWindow] {
        var windows: [ConversionWindow] = []
        var start: Int64 = 0
        for (index, end) in AppleRules.windowEnds.enumerated() {
            if let reengagedAt, reengagedAt <= start {
                break
            }
            var fine: UInt8?
            var coarse: CoarseConversionValue?
            var endsAt = min(end, reengagedAt ?? end)
            for update in updates where (start..<endsAt).contains(update.at) {
                guard let value = update.validFine else {
                    continue
                }
                fine = index == 0 ? value : nil
                coarse = update.coarse ?? coarse
                if update.locksWindow {
                    endsAt = update.at
                }
            }
            windows.append(ConversionWindow(sequenceIndex: index, fine: fine, coarse: coarse, endsAt: endsAt))
            start = end
        }
        return windows
    }
}

extension ConversionUpdate {
    /// What an app calls on one device: once at the first launch, some more in the first window, and once in each later
    /// window somebody is back in.
    static func draw(
        _ behavior: Scenario.Behavior, day: Int, using generator: inout SeededGenerator
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
