import Attribution
import AttributionConsole
import AttributionServer
@preconcurrency import Dispatch
import Foundation
import Logging
import Metrics
import Platform
import UnixSignals

/// The process around a server: its log, metrics, signals and exit.
struct ServerProcess {
    let logger: Logger
    let metrics = PrometheusMetrics()
    private let log: BoundedLog

    /// Sets up the process's log, metrics and signals; call it once.
    init(logLevel: Logger.Level, logFormat: LogFormat) {
        let log = BoundedLog(format: logFormat)
        self.log = log
        // Until the server traps it, so that a closed terminal does not end the process.
        signal(SIGHUP, SIG_IGN)
        // They mean nothing here, and would end it.
        for number in [SIGUSR1, SIGUSR2, SIGALRM] {
            signal(number, SIG_IGN)
        }
        // For the logs of libraries.
        LoggingSystem.bootstrap { _ in BoundedLogHandler(log, logLevel: max(logLevel, .warning), describe: logFields) }
        MetricsSystem.bootstrap(metrics)
        logger = Logger(label: "skan") { _ in BoundedLogHandler(log, logLevel: logLevel, describe: logFields) }
    }

    /// Runs a server until SIGTERM, SIGINT or SIGQUIT, and closes it.
    func run(_ server: Server) async throws {
        let deadline = StopDeadline(log: log, logger: logger)
        // Also after a service failed, because closing the store may take long then, too.
        defer { deadline.arm() }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await server.run(stoppingOn: [.sigterm, .sigint, .sigquit]))
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

/// Ends the process when stopping takes too long, because of a lock on the store, a stuck disk or a full pipe.
///
/// The first SIGTERM, SIGINT or SIGQUIT starts the clock, which runs on a thread of its own and depends on no event loop,
/// writer or task. Exiting at once is safe: what was answered 200 is on disk, and devices send the rest again.
final class StopDeadline: Sendable {
    /// A little less than the 5 seconds promised.
    static let bound = Duration.milliseconds(4_800)
    /// The exit status of a process ended by its deadline.
    static let status = ExitStatus.undecided.rawValue

    private let start = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    /// Starts waiting for a signal; the log is flushed before the exit.
    init(log: BoundedLog, logger: Logger) {
        let start = start
        let queue = DispatchQueue(label: "skan-stop")
        sources = [SIGTERM, SIGINT, SIGQUIT].map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { start.signal() }
            source.resume()
            return source
        }
        let thread = Thread {
            start.wait()
            Thread.sleep(forTimeInterval: Self.bound / .seconds(1))
            logger.critical(
                "stopping took too long, so the process exits now; everything answered is on disk",
                metadata: ["bound": "\(Self.bound)"])
            log.flush(within: .milliseconds(50))
            _exit(Self.status)
        }
        thread.name = "skan-stop"
        thread.start()
    }

    /// Starts the clock, unless it is already running.
    func arm() {
        start.signal()
    }
}

/// The process's limit of core dumps, which would hold private keys and tokens.
enum CoreLimit {
    /// Allows none, for good.
    static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}

/// The process's limit of open file descriptors.
enum DescriptorLimit {
    /// More than the listeners and the store need, in case the hard limit is in the billions.
    private static let maximum: rlim_t = 1 << 20

    /// Raises the soft limit to the hard one, and returns the result.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1024
        }
        let wanted = min(limit.rlim_max, maximum)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        return Int(min(limit.rlim_cur, maximum))
    }
}
