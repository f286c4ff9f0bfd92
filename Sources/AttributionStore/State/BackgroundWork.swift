import Foundation

/// Runs work on a thread that yields the processor to every other thread.
package enum BackgroundWork {
    /// Runs work on a thread of its own, which ends with the work.
    ///
    /// A lower priority would not be enough: a thread that wakes up would still wait several milliseconds for the end
    /// of a time slice. It is not an error if the system refuses the scheduling policy; other work only gets slower.
    package static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Result, any Error>) in
            let thread = Thread {
                #if os(Linux)
                    // SCHED_IDLE of <sched.h>, which Swift does not import; 0 is the current thread.
                    let idle: CInt = 5
                    var parameters = sched_param()
                    sched_setscheduler(0, idle, &parameters)
                #endif
                ended.resume(with: Swift.Result { try work() })
            }
            thread.name = "skan-background"
            thread.start()
        }
    }
}
