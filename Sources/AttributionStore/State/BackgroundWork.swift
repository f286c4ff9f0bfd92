import Foundation
import Synchronization

/// Runs work on a thread that yields the processor to every other thread.
package enum BackgroundWork {
    /// Runs work on a thread of its own, which ends with the work.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Value, any Error>) in
            run(work) { ended.resume(with: $0) }
        }
    }

    /// Runs work on a thread of its own, and then a handler on one that does not yield.
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
                yieldToOthers()
                let result = Result(catching: work)
                outcome.result.withLock { $0 = result }
                outcome.isFinished.signal()
            }
            outcome.isFinished.wait()
            outcome.result.withLock { $0.take() }.map(handler)
        }
    }

    /// Lets threads that wait for the processor have it now; for long work, about every half millisecond.
    ///
    /// Otherwise they may wait until the kernel's clock ticks, milliseconds later: for a thread with an ordinary share of
    /// the processor, and since Linux 6.6 even for one that runs when no other wants to. A thread that was ahead of its
    /// peers when it went to sleep is then behind when it wakes up, and whoever else is runnable may go on. Kernels in
    /// which a yielding thread keeps its turn (before the end of 2025) gain less.
    package static func letOthersRun() {
        sched_yield()
    }

    /// The result of the work.
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
        let isFinished = DispatchSemaphore(value: 0)
    }

    private static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = name
        thread.start()
    }

    /// Makes the current thread run when no other wants to.
    ///
    /// A lower priority would not be enough: a thread that wakes up would still wait several milliseconds for the end of
    /// a time slice. It is not an error if the system refuses the scheduling policy; other work only gets slower.
    private static func yieldToOthers() {
        #if os(Linux)
            // SCHED_IDLE of <sched.h>, which Swift does not import; 0 is the current thread.
            let idle: CInt = 5
            var parameters = sched_param()
            sched_setscheduler(0, idle, &parameters)
        #endif
    }
}
