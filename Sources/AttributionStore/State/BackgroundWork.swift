import Foundation
import Synchronization

/// Runs work that may take long, such as a report, on a thread of low priority.
package enum BackgroundWork {
    /// The nice value of its threads, relative to that of the process: a third of the weight of its other threads.
    package static let niceness: Int32 = 5

    /// Runs work on a thread of its own, which ends with the work; threads that the work starts have its priority.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            // Resuming may start threads of the pool, which would inherit the low priority for good. So another thread
            // does it.
            let waiting = Thread {
                let result = Mutex<Result<Value, any Error>?>(nil)
                let end = DispatchSemaphore(value: 0)
                let working = Thread {
                    Thread.current.name = "skan-background"
                    // PRIO_PROCESS is 0; on Linux, it is the current thread alone.
                    setpriority(0, 0, getpriority(0, 0) + niceness)
                    let worked = Result { try work() }
                    result.withLock { $0 = worked }
                    end.signal()
                }
                working.start()
                end.wait()
                if let result = result.withLock({ $0 }) {
                    continuation.resume(with: result)
                }
            }
            waiting.start()
        }
    }
}
