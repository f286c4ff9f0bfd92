package import Logging
import Synchronization

/// Admits a limited number of similar lines in each interval and counts the others.
package struct LogThrottle: Sendable {
    private let lines: Int
    private let interval: Duration
    private var intervalEnd: ContinuousClock.Instant?
    private var admitted = 0
    private var suppressed = 0

    /// Makes a throttle; the first line after the end of an interval begins the next.
    package init(lines: Int = 1, every interval: Duration = .seconds(1)) {
        self.lines = lines
        self.interval = interval
    }

    /// How many lines were suppressed since the last written one, or nil if this one is suppressed too.
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
    package mutating func takeSuppressed(at now: ContinuousClock.Instant) -> Int? {
        guard suppressed > 0, let intervalEnd, now >= intervalEnd else {
            return nil
        }
        defer { suppressed = 0 }
        return suppressed
    }
}

extension Logger {
    /// Logs a line that may repeat quickly.
    ///
    /// The field `suppressed` is the number of similar lines left out since the last one.
    package func log(
        level: Logger.Level,
        _ message: Logger.Message,
        throttle: inout LogThrottle,
        at now: ContinuousClock.Instant,
        error: (any Error)? = nil,
        metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard logLevel <= level, let suppressed = throttle.admit(at: now) else {
            return
        }
        var metadata = metadata()
        if suppressed > 0 {
            metadata["suppressed"] = "\(suppressed)"
        }
        log(level: level, message, error: error, metadata: metadata)
    }
}

/// Logs one kind of failure from any thread, at most once a second, because clients may cause it at any rate.
package final class FailureLog: Sendable {
    private let message: Logger.Message
    private let logger: Logger
    private let throttle = Mutex(LogThrottle())

    /// Makes a log for one kind of failure, which a constant message names.
    package init(_ message: Logger.Message, logger: Logger) {
        self.message = message
        self.logger = logger
    }

    /// Logs a failure, or counts it.
    package func note(
        _ reason: String, metadata: Logger.Metadata = [:], at now: ContinuousClock.Instant = .now
    ) {
        throttle.withLock { throttle in
            logger.log(
                level: .error, message, throttle: &throttle, at: now,
                metadata: metadata.merging(["error": "\(reason)"]) { $1 })
        }
    }

    /// Logs an error with its code and hint, or counts it.
    package func note(
        _ error: any Error, metadata: Logger.Metadata = [:], at now: ContinuousClock.Instant = .now
    ) {
        throttle.withLock { throttle in
            logger.log(level: .error, message, throttle: &throttle, at: now, error: error, metadata: metadata)
        }
    }
}
