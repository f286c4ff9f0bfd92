/// Lets a world go on by itself, so that its next hours are played while those before are signed and recorded.
actor WorldClock {
    /// Some hours of a world.
    struct Stretch: Sendable {
        /// The hours, counted from the beginning of the scenario.
        let hours: Range<Int>
        /// Their postbacks in order of time.
        let postbacks: [SimulatedPostback]
        /// How many postbacks devices have given up so far.
        let givenUp: Int
        /// How many postbacks will come only after the end of the scenario, as far as is known.
        let lateCount: Int
    }

    private var world: World
    private var hour = 0

    /// Takes a world at its beginning.
    init(_ world: World) {
        self.world = world
    }

    /// Plays the next hours.
    ///
    /// - Parameters:
    ///   - count: How many postbacks to gather at least, hour by hour.
    ///   - hours: How many hours to gather at most.
    /// - Returns: What happened in them; nil when the scenario is over.
    func next(atLeast count: Int, hours: Int) -> Stretch? {
        var postbacks: [SimulatedPostback] = []
        let first = hour
        while postbacks.count < count, hour - first < hours, let more = world.nextHour() {
            postbacks += more
            hour += 1
        }
        guard hour > first else {
            return nil
        }
        return Stretch(
            hours: first..<hour, postbacks: postbacks, givenUp: world.givenUp, lateCount: world.lateCount)
    }
}
