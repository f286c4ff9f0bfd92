/// Admits a limited number of similar lines in each interval and counts the others.
package struct LogThrottle: Sendable {
    private let lines: Int
    private let interval: Duration
    private var intervalEnd: ContinuousClock.Instant?
    private var admitted = 0
    private var suppressed = 0

    /// Makes a throttle.
    ///
    /// - Parameters:
    ///   - lines: The maximum number of lines per interval.
    ///   - interval: The length of an interval; the first line after its end begins the next.
    package init(lines: Int = 1, every interval: Duration = .seconds(1)) {
        self.lines = lines
        self.interval = interval
    }

    /// Decides whether a line may be written.
    ///
    /// - Parameter now: The current time.
    /// - Returns: How many lines were suppressed since the last written one, or nil if this one is suppressed too.
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

    /// Whether the log does not yet report some suppressed lines.
    package var hasSuppressed: Bool {
        suppressed > 0
    }

    /// Takes the count of suppressed lines once their interval is over, so that the end of a burst is reported too.
    ///
    /// - Parameter now: The current time.
    /// - Returns: The count, or nil if there is nothing to report yet.
    package mutating func takeSuppressed(at now: ContinuousClock.Instant) -> Int? {
        guard suppressed > 0, let intervalEnd, now >= intervalEnd else {
            return nil
        }
        defer { suppressed = 0 }
        return suppressed
    }
}
