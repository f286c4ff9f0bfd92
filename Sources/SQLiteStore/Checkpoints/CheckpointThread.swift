import Dispatch
import Foundation
import Synchronization

/// The thread of the connection that checkpoints.
///
/// It starts with its first work, from the thread that writes, and inherits from it how far it gives way to others. A
/// thread of a queue would inherit that too, and then do other work.
final class CheckpointThread: Sendable {
    private struct State {
        var work: (@Sendable () -> Void)?
        var isStarted = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Does some work on the thread; what it was given before must be done.
    func run(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.work = work
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if isFirst { start() }
        signal.signal()
    }

    /// Ends it after what it is doing, without waiting.
    func end() {
        state.withLock { $0.isOver = true }
        signal.signal()
    }

    private func start() {
        Thread { [self] in
            Thread.current.name = "skan-checkpoint"
            while true {
                signal.wait()
                let (work, isOver) = state.withLock { ($0.work.take(), $0.isOver) }
                if isOver { return }
                work?()
            }
        }.start()
    }
}
