import Foundation
package import Logging

/// Gives what is logged to a ``BoundedLog``.
package struct BoundedLogHandler: LogHandler {
    /// Levels below it are not logged.
    package var logLevel: Logger.Level
    /// Fields of every line.
    package var metadata: Logger.Metadata = [:]
    /// More fields of every line.
    package var metadataProvider: Logger.MetadataProvider?
    private let log: BoundedLog

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - log: Takes the lines.
    ///   - logLevel: Levels below it are not logged.
    package init(_ log: BoundedLog, logLevel: Logger.Level) {
        self.log = log
        self.logLevel = logLevel
    }

    /// A field of every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Queues one line, and never waits.
    ///
    /// - Parameter event: What is logged.
    package func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() {
            fields.merge(provided) { $1 }
        }
        if let own = event.metadata {
            fields.merge(own) { $1 }
        }
        if let error = event.error {
            fields["error"] = "\(error)"
        }
        log.append(
            LogLine(
                time: .now, level: event.level, message: event.message.description, fields: fields,
                format: log.format))
    }
}
