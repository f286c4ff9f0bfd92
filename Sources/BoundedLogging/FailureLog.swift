package import Logging
import Synchronization

/// Logs one kind of failure from any thread, at most once a second, because clients may cause it at any rate.
package final class FailureLog: Sendable {
    private let message: Logger.Message
    private let logger: Logger
    private let throttle = Mutex(LogThrottle())

    /// Makes a log for one kind of failure.
    ///
    /// - Parameters:
    ///   - message: A constant message.
    ///   - logger: The logger to use.
    package init(_ message: Logger.Message, logger: Logger) {
        self.message = message
        self.logger = logger
    }

    /// Logs a failure, or counts it.
    ///
    /// - Parameters:
    ///   - reason: What went wrong.
    ///   - metadata: More fields.
    ///   - now: The current time.
    package func note(
        _ reason: String,
        metadata: Logger.Metadata = [:],
        at now: ContinuousClock.Instant = .now
    ) {
        throttle.withLock { throttle in
            logger.log(
                level: .error, message, throttle: &throttle, at: now,
                metadata: metadata.merging(["error": "\(reason)"]) { $1 })
        }
    }

    /// Logs an error with its code and hint, or counts it.
    ///
    /// - Parameters:
    ///   - error: What went wrong.
    ///   - metadata: More fields.
    ///   - now: The current time.
    package func note(
        _ error: any Error,
        metadata: Logger.Metadata = [:],
        at now: ContinuousClock.Instant = .now
    ) {
        throttle.withLock { throttle in
            logger.log(level: .error, message, throttle: &throttle, at: now, error: error, metadata: metadata)
        }
    }
}
