import CThread
import Foundation

/// Runs work that others need not wait for on a thread that works in ``Turns``.
package enum BackgroundWork {
    /// Runs work on a thread of its own, which ends with the work.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Value, any Error>) in
            let thread = Thread {
                Thread.current.name = "skan-background"
                // It preempts nobody when a turn begins.
                thread_schedule_as_batch(false)
                let result = Result { try Turns.take(work) }
                // Whoever resumes a task may start threads of the pool, which inherit the policy.
                thread_schedule_as_usual()
                ended.resume(with: result)
            }
            thread.start()
        }
    }
}
