import CThread
import Foundation
import Synchronization

/// Runs work on a thread that leaves the processor to every other thread, in ``Turns``.
package enum BackgroundWork {
    /// Whether there is a single processor for this process, as of its first question.
    static let hasOneProcessor = thread_processor_count() == 1

    /// Runs work on a thread of its own, which ends with the work.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Value, any Error>) in
            run(work) { ended.resume(with: $0) }
        }
    }

    /// Runs work on a thread of its own, and then a handler on one that has its share of the processor.
    ///
    /// A thread inherits the scheduling policy of the one that starts it, and whoever resumes a task may start threads of
    /// the pool, which then would yield to everything as long as they live.
    ///
    /// - Parameters:
    ///   - work: Runs when the processor is idle.
    ///   - handler: Is called with its result.
    package static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value,
        then handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        start("skan-waiting") {
            let outcome = Outcome<Value>()
            start("skan-background") {
                // If the system refuses, other work only gets slower.
                thread_schedule_as_idle()
                let result = Result { try Turns.take(work) }
                outcome.result.withLock { $0 = result }
                outcome.isFinished.signal()
            }
            outcome.isFinished.wait()
            outcome.result.withLock { $0.take() }.map(handler)
        }
    }

    /// The result of the work.
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
        let isFinished = DispatchSemaphore(value: 0)
    }

    private static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        Thread {
            Thread.current.name = name
            body()
        }.start()
    }
}
