import Foundation
public import Logging

/// Gives what is logged to a ``BoundedLog``.
public struct BoundedLogHandler: LogHandler {
    /// Levels below it are not logged.
    public var logLevel: Logger.Level
    /// Fields of every line.
    public var metadata: Logger.Metadata = [:]
    /// More fields of every line.
    public var metadataProvider: Logger.MetadataProvider?
    private let log: BoundedLog

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - log: Takes the lines.
    ///   - logLevel: Levels below it are not logged.
    public init(_ log: BoundedLog, logLevel: Logger.Level) {
        self.log = log
        self.logLevel = logLevel
    }

    /// A field of every line.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Queues one line, and never waits.
    ///
    /// - Parameter event: What is logged.
    public func log(event: LogEvent) {
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
        log.append(LogLine(time: .now, level: event.level, message: event.message.description, fields: fields))
    }
}
