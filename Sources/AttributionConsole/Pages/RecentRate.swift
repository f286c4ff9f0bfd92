/// How fast a counter has grown during the last minute, from readings of it.
package struct RecentRate: Sendable {
    /// The time that the rate is of.
    package static let window = Duration.seconds(60)
    /// The least time between two readings that are kept, so that few are.
    private static let interval = Duration.milliseconds(900)

    private var readings: [(instant: ContinuousClock.Instant, count: Int64)] = []

    /// Makes a rate that is not known yet.
    package init() {}

    /// How many readings are kept.
    package var readingCount: Int {
        readings.count
    }

    /// Takes a reading.
    package mutating func note(_ count: Int64, at now: ContinuousClock.Instant) {
        if let last = readings.last, now - last.instant < Self.interval {
            return
        }
        // The one before the window is kept, for the window begins after it.
        while readings.count > 1, now - readings[1].instant >= Self.window {
            readings.removeFirst()
        }
        readings.append((now, count))
    }

    /// The rate; nil before there are two readings, and when the last is old.
    package func perSecond(at now: ContinuousClock.Instant) -> Double? {
        guard let first = readings.first, let last = readings.last, last.instant > first.instant,
            now - last.instant < Self.window
        else {
            return nil
        }
        return Double(last.count - first.count) / ((last.instant - first.instant) / .seconds(1))
    }
}
