import Foundation
import Synchronization

/// Asks a server for the standard report every second, on a thread of its own, until it is stopped.
final class ReportPoller: Sendable {
    private struct State {
        var isStopped = false
        var seconds: [Double] = []
        var failure: String?
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    init(_ server: Server, path: String = ReportQuestion.standard.path) {
        let console = ConsoleClient(port: server.port(of: .console))
        let thread = Thread { [self] in
            poll(console, path)
            ended.signal()
        }
        thread.start()
    }

    private func poll(_ console: ConsoleClient, _ path: String) {
        while !state.withLock(\.isStopped) {
            do {
                let seconds = try console.get(path).seconds
                state.withLock { $0.seconds.append(seconds) }
                Thread.sleep(forTimeInterval: max(0, 1 - seconds))
            } catch {
                state.withLock { $0.failure = "\(error)" }
                return
            }
        }
    }

    /// Stops, and returns how long each report took.
    func stop() throws -> [Double] {
        state.withLock { $0.isStopped = true }
        ended.wait()
        let (seconds, failure) = state.withLock { ($0.seconds, $0.failure) }
        if let failure {
            throw BenchmarkFailure("a report while postbacks came: \(failure)")
        }
        return seconds
    }
}
