import Dispatch
import Foundation
import Synchronization

/// The thread of the connection that checkpoints.
///
/// A queue would start one from the thread that writes, and threads inherit how they are scheduled.
final class CheckpointThread: Sendable {
    private let isOver = Atomic(false)
    private let signal = DispatchSemaphore(value: 0)

    /// Starts it; call it once.
    ///
    /// - Parameter work: Is called on the thread after each ``wake()``.
    func start(_ work: @escaping @Sendable () -> Void) {
        Thread { [self] in
            Thread.current.name = "skan-checkpoint"
            while true {
                signal.wait()
                guard !isOver.load(ordering: .acquiring) else { return }
                work()
            }
        }.start()
    }

    /// Has it work once.
    func wake() {
        signal.signal()
    }

    /// Ends it after what it is doing, without waiting.
    func end() {
        isOver.store(true, ordering: .releasing)
        signal.signal()
    }
}
