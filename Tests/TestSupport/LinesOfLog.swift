package import Logging
import Synchronization

/// Keeps what is logged, as lines of `level message key=value …` with the keys sorted.
package final class LinesOfLog: LogHandler {
    private let kept = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { kept.withLock { $0 } }

    package var logger: Logger { Logger(label: "test") { _ in self } }

    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    package var logLevel: Logger.Level {
        get { .debug }
        set {}
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    package func log(event: LogEvent) {
        var fields = event.metadata ?? [:]
        if let error = event.error {
            fields["error"] = "\(error)"
        }
        let pairs = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        kept.withLock { $0.append("\(event.level) \(event.message)" + pairs.joined()) }
    }
}

extension Logger {
    /// Says nothing.
    package static var silent: Logger {
        Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    }
}
