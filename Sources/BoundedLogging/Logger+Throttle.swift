package import Logging

extension Logger {
    /// Logs a line that may repeat quickly.
    ///
    /// The field `suppressed` is the number of similar lines left out since the last one.
    ///
    /// - Parameters:
    ///   - level: Its level.
    ///   - message: A constant message.
    ///   - throttle: Decides whether the line is written.
    ///   - now: The current time.
    ///   - error: What went wrong, if anything did.
    ///   - metadata: Its fields, evaluated only if the line is written.
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
