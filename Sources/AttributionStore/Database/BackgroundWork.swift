import Foundation

/// Work that leaves the processors to every other thread as soon as one wants them.
package enum BackgroundWork {
    /// Does work on a thread of its own, which ends with it.
    ///
    /// A lower priority alone would not do: whoever wakes up would wait for the end of a time slice, several
    /// milliseconds. A system that refuses makes answers slower for others, and is no error.
    package static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Result, any Error>) in
            let thread = Thread {
                #if os(Linux)
                    // SCHED_IDLE of <sched.h>, which Swift does not see; 0 stands for this thread.
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
