import Logging
import Synchronization

/// Keeps what is logged, as lines of `level message key=value …` with the keys sorted.
final class LinesOfLog: LogHandler {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in self } }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .debug }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        kept.withLock { $0.append("\(event.level) \(event.message)" + pairs.joined()) }
    }
}
