import AttributionConsole
import AttributionServer
import BoundedLogging
import CodedErrors
import Foundation
import Logging
import Metrics
import UnixSignals

/// The process around a server: its log, metrics, signals and exit.
struct ServerProcess {
    let logger: Logger
    let metrics = PrometheusMetrics()
    private let log: BoundedLog

    /// Sets up the process's log, metrics and signals; call it once.
    ///
    /// - Parameters:
    ///   - logLevel: The level of the log.
    ///   - logFormat: The format of the log.
    init(logLevel: Logger.Level, logFormat: LogFormat) {
        let log = BoundedLog(format: logFormat)
        self.log = log
        // Until the server traps it, so that a closed terminal does not end the process.
        signal(SIGHUP, SIG_IGN)
        // For the logs of libraries.
        LoggingSystem.bootstrap { _ in BoundedLogHandler(log, logLevel: max(logLevel, .warning)) }
        MetricsSystem.bootstrap(metrics)
        logger = Logger(label: "skan") { _ in BoundedLogHandler(log, logLevel: logLevel) }
    }

    /// Runs a server until SIGTERM or SIGINT, and closes it.
    func run(_ server: Server) async throws {
        let deadline = StopDeadline(log: log, logger: logger)
        // Also after a service failed, because closing the store may take long then, too.
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

    /// Logs why the server did not start, or ended.
    func log(_ failure: CommandFailure) {
        var fields: Logger.Metadata = ["code": "\(failure.code.rawValue)"]
        fields["hint"] = failure.hint.map { "\($0.withoutSecrets)" }
        logger.critical("\(failure.message.withoutSecrets)", metadata: fields)
    }

    /// Waits a moment for the log's last lines.
    func flush() {
        log.flush(within: .milliseconds(500))
    }
}
