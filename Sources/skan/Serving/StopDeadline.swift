import BoundedLogging
@preconcurrency import Dispatch
import Foundation
import Logging

/// Ends the process when stopping takes too long, because of a lock on the store, a stuck disk or a full pipe.
///
/// The first SIGTERM or SIGINT starts the clock, which runs on a thread of its own and depends on no event loop, writer
/// or task. Exiting at once is safe: what was answered 200 is on disk, and devices send the rest again.
final class StopDeadline: Sendable {
    /// A little less than the 5 seconds promised.
    static let bound = Duration.milliseconds(4_800)
    /// The exit status of a process ended by its deadline.
    static let status = ExitStatus.undecided.rawValue

    private let start = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    /// Starts waiting for a signal.
    ///
    /// - Parameters:
    ///   - log: Flushed before the exit.
    ///   - logger: Writes the last line.
    init(log: BoundedLog, logger: Logger) {
        let start = start
        let queue = DispatchQueue(label: "skan-stop")
        sources = [SIGTERM, SIGINT].map { signal in
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
