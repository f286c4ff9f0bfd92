import AttributionConsole
import AttributionServer
import BoundedLogging
import Foundation
import Logging
import Metrics
import UnixSignals

/// What a process is to a server: its log, its metrics, its signals and its end.
struct ServerProcess {
    let logger: Logger
    let metrics = PrometheusMetrics()
    private let log: BoundedLog

    /// Takes over the process's log, metrics and signals; once in its life.
    ///
    /// - Parameters:
    ///   - logLevel: What is logged.
    ///   - logFormat: How it is written.
    init(logLevel: Logger.Level, logFormat: LogFormat) {
        let log = BoundedLog(format: logFormat)
        self.log = log
        // Until the server traps it: a closed terminal is no reason to end.
        signal(SIGHUP, SIG_IGN)
        // What the libraries around log on their own goes the same way.
        LoggingSystem.bootstrap { _ in BoundedLogHandler(log, logLevel: max(logLevel, .warning)) }
        MetricsSystem.bootstrap(metrics)
        logger = Logger(label: "skan") { _ in BoundedLogHandler(log, logLevel: logLevel) }
    }

    /// Runs a server until SIGTERM or SIGINT, and closes it.
    func run(_ server: Server) async throws {
        let deadline = StopDeadline(log: log, logger: logger)
        // Also after a service that failed: closing the store may take as long then.
        defer { deadline.arm() }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await server.run(stoppingOn: [.sigterm, .sigint]))
        } catch {
            outcome = .failure(error)
        }
        deadline.arm()
        guard try server.close() else {
            log.flush(within: .milliseconds(200))
            _exit(ExitStatus.undecided.rawValue)
        }
        try outcome.get()
        logger.notice("stopped")
    }

    /// Waits a moment for the log's last lines.
    func flush() {
        log.flush(within: .milliseconds(500))
    }
}
