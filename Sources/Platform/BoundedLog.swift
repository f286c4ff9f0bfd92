import Dispatch
import Foundation
package import Logging
import Synchronization

/// A log on a file descriptor that never blocks its callers.
///
/// Lines go into a bounded queue, which a thread writes out. If the descriptor has no reader, the queue fills up and
/// further lines are dropped; their number is logged as soon as there is room again.
package final class BoundedLog: Sendable {
    private struct State {
        var queue: LineQueue
        /// Whether the thread is writing a batch.
        var isWriting = false
        var isWriterWaiting = false
        /// Signalled once everything is written.
        var flushes: [DispatchSemaphore] = []
    }

    /// The format of its lines.
    let format: LogFormat
    private let descriptor: Int32
    private let state: Mutex<State>
    /// Signalled when a line arrives while the thread waits.
    private let arrival = DispatchSemaphore(value: 0)

    /// Makes a log and starts its thread, which lives as long as the process.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor to write to; standard error by default.
    ///   - format: The format of the lines.
    ///   - lines: The maximum number of queued lines.
    ///   - bytes: The maximum number of queued bytes; the thread may hold as many again.
    package init(descriptor: Int32 = 2, format: LogFormat = .text, lines: Int = 10_000, bytes: Int = 1 << 20) {
        self.descriptor = descriptor
        self.format = format
        state = Mutex(State(queue: LineQueue(lines: lines, bytes: bytes)))
        let thread = Thread { self.write() }
        thread.name = "skan-log"
        thread.start()
    }

    /// Queues a line.
    func append(_ line: LogLine) {
        let isWriterWaiting = state.withLock { state in
            state.queue.append(line.bytes)
            defer { state.isWriterWaiting = false }
            return state.isWriterWaiting
        }
        if isWriterWaiting {
            arrival.signal()
        }
    }

    /// Waits until every line so far is written, and says whether they were within a limit.
    @discardableResult
    package func flush(within limit: Duration) -> Bool {
        let done = DispatchSemaphore(value: 0)
        let isDone = state.withLock { state in
            guard state.isWriting || !state.queue.isEmpty else {
                return true
            }
            state.flushes.append(done)
            return false
        }
        let (seconds, attoseconds) = limit.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        return isDone || done.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
    }

    // MARK: The thread

    private func write() {
        var batch = LineQueue.Batch()
        // Lines that failed to be written, reported with the next batch so that a broken descriptor does not keep the
        // thread busy.
        var lost = 0
        while true {
            take(into: &batch)
            if batch.dropped + lost > 0 {
                batch.bytes += notice(of: batch.dropped + lost).bytes
            }
            lost = put(batch.bytes) ? 0 : lost + batch.dropped + batch.lines
        }
    }

    /// Takes the queued lines, waiting for one if there are none.
    private func take(into batch: inout LineQueue.Batch) {
        while true {
            let isTaken = state.withLock { state in
                state.isWriting = !state.queue.isEmpty
                state.isWriterWaiting = !state.isWriting
                guard state.isWriting else {
                    for flush in state.flushes { flush.signal() }
                    state.flushes = []
                    return false
                }
                state.queue.take(into: &batch)
                return true
            }
            if isTaken {
                return
            }
            arrival.wait()
        }
    }

    /// Writes bytes, however long that takes; false if some could not be written.
    private func put(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var count = 0
            while count < bytes.count {
                let more = Foundation.write(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count)
                if more > 0 {
                    count += more
                } else if more < 0, errno == EAGAIN {
                    // A process that shares the descriptor has made it non-blocking.
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&entry, 1, -1)
                } else if more == 0 || errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    private func notice(of dropped: Int) -> LogLine {
        LogLine(
            time: .now, level: .warning, message: "log lines were dropped because nothing read them",
            fields: ["count": "\(dropped)"], format: format)
    }
}

extension timespec {
    /// The current time.
    static var now: timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}

/// A queue of lines with limits on lines and bytes; lines beyond them are dropped and counted.
struct LineQueue {
    private let lineLimit: Int
    private let byteLimit: Int
    private var bytes: [UInt8] = []
    private var lines = 0
    private var dropped = 0

    /// The lines taken at once.
    struct Batch {
        /// Whole lines with their line feeds.
        var bytes: [UInt8] = []
        var lines = 0
        /// How many lines were dropped after them.
        var dropped = 0
    }

    init(lines: Int, bytes: Int) {
        lineLimit = lines
        byteLimit = bytes
    }

    var isEmpty: Bool { lines == 0 && dropped == 0 }

    /// Adds a line, or counts it if there is no room.
    mutating func append(_ line: [UInt8]) {
        // Once a line is dropped, so are all that follow: then the gap is always at the end of the batch.
        guard dropped == 0, lines < lineLimit, bytes.count + line.count <= byteLimit else {
            dropped += 1
            return
        }
        bytes.append(contentsOf: line)
        lines += 1
    }

    /// Takes all lines into a batch, whose memory is reused for the queue.
    mutating func take(into batch: inout Batch) {
        batch.bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &batch.bytes)
        (batch.lines, batch.dropped) = (lines, dropped)
        (lines, dropped) = (0, 0)
    }
}

/// A log handler that writes to a ``BoundedLog``.
package struct BoundedLogHandler: LogHandler {
    /// The lowest level that is logged.
    package var logLevel: Logger.Level
    /// Fields of every line.
    package var metadata: Logger.Metadata = [:]
    /// More fields of every line.
    package var metadataProvider: Logger.MetadataProvider?
    private let log: BoundedLog
    private let describe: @Sendable (any Error) -> [String: String]

    /// Makes a handler that writes to a log; `describe` gives the fields of an error, by name.
    package init(
        _ log: BoundedLog, logLevel: Logger.Level,
        describe: @escaping @Sendable (any Error) -> [String: String] = { ["error": "\($0)"] }
    ) {
        self.log = log
        self.logLevel = logLevel
        self.describe = describe
    }

    /// A field of every line.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Queues a line without blocking.
    package func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() {
            fields.merge(provided) { $1 }
        }
        if let own = event.metadata {
            fields.merge(own) { $1 }
        }
        if let error = event.error {
            fields.merge(describe(error).mapValues { "\($0)" }) { $1 }
        }
        log.append(
            LogLine(
                time: .now, level: event.level, message: event.message.description, fields: fields,
                format: log.format))
    }
}
