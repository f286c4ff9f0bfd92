import AttributionListener
import AttributionStore
import Dispatch
import Foundation
import Logging
import Metrics
import Platform
import ServiceLifecycle
import Synchronization

/// Does something every second, on a thread of its own because it may have to wait for the writer.
struct HeartbeatService: Service {
    private let beat: @Sendable () -> Void
    private let onStop: @Sendable () -> Void
    private let stop = DispatchSemaphore(value: 0)

    /// Makes the service; `onStop` is called when the server begins to stop, before anything else stops.
    init(_ beat: @escaping @Sendable () -> Void, onStop: @escaping @Sendable () -> Void) {
        self.beat = beat
        self.onStop = onStop
    }

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withCheckedContinuation { ended in
                let thread = Thread {
                    while stop.wait(timeout: .now() + 1) == .timedOut {
                        beat()
                    }
                    ended.resume()
                }
                thread.name = "skan-heartbeat"
                thread.start()
            }
        } onCancelOrGracefulShutdown: {
            onStop()
            stop.signal()
        }
    }
}

/// Warns once a day of a certificate that expires soon: a server may outlive its certificate.
final class CertificateWatch: Sendable {
    private struct State {
        /// The end of the last certificate checked; a different one is warned of at once.
        var end: Date?
        var throttle = LogThrottle(every: .seconds(86_400))
    }

    private let tls: IngressTLS
    private let logger: Logger
    private let state = Mutex(State())

    init(_ tls: IngressTLS, logger: Logger) {
        self.tls = tls
        self.logger = logger
    }

    /// Checks the certificate in use.
    func look(at now: Date, instant: ContinuousClock.Instant) {
        let identity = tls.identity
        guard identity.endsSoon(at: now) else {
            return
        }
        let isDue = state.withLock { state in
            if state.end != identity.notValidAfter {
                state = State(end: identity.notValidAfter)
            }
            return state.throttle.admit(at: instant) != nil
        }
        guard isDue else {
            return
        }
        let end: Logger.Metadata = ["end": "\(identity.notValidAfter.formatted(.iso8601))"]
        if now < identity.notValidAfter {
            logger.warning("the certificate expires soon: renew it, then send SIGHUP", metadata: end)
        } else {
            logger.error(
                "the certificate has expired: renew it, then send SIGHUP", metadata: end)
        }
    }
}

/// Gives memory that a flood of connections took back to the system: the allocator would keep it for the next one.
final class FreedMemory: Sendable {
    private static let interval = Duration.seconds(60)
    private let last = Mutex(ContinuousClock.now)

    /// Gives it back, once a minute.
    func giveBack(at now: ContinuousClock.Instant) {
        let isDue = last.withLock { last in
            guard now - last >= Self.interval else { return false }
            last = now
            return true
        }
        // Of the GNU C library alone, whose headers Swift does not import.
        guard isDue, let trim = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    }
}

/// Logs a store's events, and counts bodies that were not kept.
struct StoreEventLog: Sendable {
    private let logger: Logger
    private let notKept: FailureLog

    init(logger: Logger) {
        self.logger = logger
        notKept = FailureLog("bodies not kept: a limit of the quarantine was reached", logger: logger)
    }

    /// Notes one event.
    func note(_ event: StoreEvent) {
        if case .notKept(let kind, let count) = event {
            Counter(label: "skan_quarantine_not_kept_total", dimensions: [("class", kind.rawValue)])
                .increment(by: Int64(count))
            return notKept.note("\(count) of class \(kind.rawValue)")
        }
        logger.log(level: event.isError ? .error : .warning, "\(event.message)")
    }
}
