/// Admits a few like lines in each interval and counts the others.
///
/// A value without a clock: whoever logs hands in the time.
package struct LogThrottle: Sendable {
    private let lines: Int
    private let interval: Duration
    private var intervalEnd: ContinuousClock.Instant?
    private var admitted = 0
    private var suppressed = 0

    /// Makes a throttle that has seen no line.
    ///
    /// - Parameters:
    ///   - lines: The most lines of an interval.
    ///   - interval: How long an interval lasts; the first line after its end begins the next.
    package init(lines: Int = 1, every interval: Duration = .seconds(1)) {
        self.lines = lines
        self.interval = interval
    }

    /// Whether a line may be written.
    ///
    /// - Parameter now: The present.
    /// - Returns: How many lines were suppressed since the last one that was written, or nil when this one is, too.
    package mutating func admit(at now: ContinuousClock.Instant) -> Int? {
        if intervalEnd.map({ now >= $0 }) ?? true {
            intervalEnd = now + interval
            admitted = 0
        }
        guard admitted < lines else {
            suppressed += 1
            return nil
        }
        admitted += 1
        defer { suppressed = 0 }
        return suppressed
    }

    /// Whether suppressed lines still wait to be counted in the log.
    package var hasSuppressed: Bool {
        suppressed > 0
    }

    /// Takes the count of suppressed lines once their interval is over, so that the end of a burst is counted too.
    ///
    /// - Parameter now: The present.
    /// - Returns: The count, or nil when there is nothing to say yet.
    package mutating func takeSuppressed(at now: ContinuousClock.Instant) -> Int? {
        guard suppressed > 0, let intervalEnd, now >= intervalEnd else {
            return nil
        }
        defer { suppressed = 0 }
        return suppressed
    }
}
