package import Logging

extension Logger {
    /// Logs a line that may repeat quickly.
    ///
    /// The field `suppressed` says how many like it were left out since the last one.
    ///
    /// - Parameters:
    ///   - level: Its level.
    ///   - message: What happened, in words that do not change.
    ///   - throttle: Decides whether it is written.
    ///   - now: The present.
    ///   - metadata: Its fields; made only when it is written.
    package func log(
        level: Logger.Level,
        _ message: Logger.Message,
        throttle: inout LogThrottle,
        at now: ContinuousClock.Instant,
        metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard logLevel <= level, let suppressed = throttle.admit(at: now) else {
            return
        }
        var metadata = metadata()
        if suppressed > 0 {
            metadata["suppressed"] = "\(suppressed)"
        }
        log(level: level, message, metadata: metadata)
    }
}
