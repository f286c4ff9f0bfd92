import BoundedLogging
@preconcurrency import Dispatch
import Foundation
import Logging

/// Ends the process when a stop takes too long, whatever holds it up: a lock on the store, a stuck disk, a full pipe.
///
/// The first SIGTERM or SIGINT starts the clock. It runs on a thread of its own, which waits for no event loop, no
/// writer and no task. Ending at once is safe: whatever was answered 200 is on disk, and whatever was not is sent again.
final class StopDeadline: Sendable {
    /// A little less than the 5 seconds promised.
    static let bound = Duration.milliseconds(4_800)
    /// The status of a process that was ended by its deadline: that all is done was not decided.
    static let status = ExitStatus.undecided.rawValue

    private let start = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    /// Starts to wait for a signal.
    ///
    /// - Parameters:
    ///   - log: Takes the last line.
    ///   - logger: Writes to it.
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
                "the stop took too long and ends now; what was answered is on disk",
                metadata: ["bound": "\(Self.bound)"])
            log.flush(within: .milliseconds(50))
            _exit(Self.status)
        }
        thread.name = "skan-stop"
        thread.start()
    }

    /// Starts the clock, unless it runs already.
    func arm() {
        start.signal()
    }
}
