import CodedErrors
import Foundation
package import Logging

/// A log handler that writes to a ``BoundedLog``.
package struct BoundedLogHandler: LogHandler {
    /// The lowest level that is logged.
    package var logLevel: Logger.Level
    /// Fields of every line.
    package var metadata: Logger.Metadata = [:]
    /// More fields of every line.
    package var metadataProvider: Logger.MetadataProvider?
    private let log: BoundedLog

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - log: The log to write to.
    ///   - logLevel: The lowest level that is logged.
    package init(_ log: BoundedLog, logLevel: Logger.Level) {
        self.log = log
        self.logLevel = logLevel
    }

    /// A field of every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Queues a line without blocking.
    ///
    /// An error becomes the fields `error`, its message, and, where it has them, `code` and `hint`.
    package func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() {
            fields.merge(provided) { $1 }
        }
        if let own = event.metadata {
            fields.merge(own) { $1 }
        }
        if let error = event.error as? any CodedError {
            fields["code"] = "\(error.code.rawValue)"
            fields["error"] = "\(error.message)"
            fields["hint"] = error.hint.map { "\($0)" }
        } else if let error = event.error {
            fields["error"] = "\(error)"
        }
        log.append(
            LogLine(
                time: .now, level: event.level, message: event.message.description, fields: fields,
                format: log.format))
    }
}
