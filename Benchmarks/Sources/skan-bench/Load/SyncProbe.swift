import Foundation
import Glibc
import Synchronization

/// Writes a page to the disk now and then, on a thread of its own, and remembers the longest time it took.
final class SyncProbe: Sendable {
    private struct State {
        var isStopped = false
        var longest = 0.0
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw BenchmarkFailure("cannot write \(path): \(String(cString: strerror(errno)))")
        }
        let thread = Thread { [self] in
            let page = [UInt8](repeating: 0x5A, count: 4_096)
            var place: off_t = 0
            while !state.withLock(\.isStopped) {
                pwrite(file, page, page.count, place)
                place += off_t(page.count)
                let stopwatch = Stopwatch()
                fdatasync(file)
                let seconds = stopwatch.seconds
                state.withLock { $0.longest = max($0.longest, seconds) }
                usleep(20_000)
            }
            close(file)
            ended.signal()
        }
        thread.start()
    }

    /// How long the disk takes for a page, in milliseconds, one after the other.
    static func milliseconds(_ path: String) throws -> [Double] {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw BenchmarkFailure("cannot write \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        let page = [UInt8](repeating: 0x5A, count: 4_096)
        return (0..<200).map { number in
            pwrite(file, page, page.count, off_t(number * page.count))
            let stopwatch = Stopwatch()
            fdatasync(file)
            return stopwatch.seconds * 1_000
        }
    }

    /// Stops, and returns the longest time in seconds.
    func stop() -> Double {
        state.withLock { $0.isStopped = true }
        ended.wait()
        return state.withLock(\.longest)
    }
}
