package import Foundation

extension Thread {
    /// Runs blocking work on a thread of its own, scheduled as batch work, and returns when it has ended.
    ///
    /// - Parameters:
    ///   - name: The thread's name, of which the kernel keeps 15 bytes.
    ///   - work: The work.
    package static func runBatchWork(named name: String, _ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { ended in
            let thread = Thread {
                scheduleAsBatch()
                work()
                ended.resume()
            }
            thread.name = name
            thread.start()
        }
    }

    /// Schedules the current thread as batch work, which never preempts another thread.
    ///
    /// Otherwise a writer that returns from its commit would preempt the event loop while that reads the next bodies;
    /// with few cores, batches stay small and the threads evict each other's caches. The thread keeps its share of the
    /// processor. It is only an optimisation, so failure is ignored.
    private static func scheduleAsBatch() {
        #if os(Linux)
            // SCHED_BATCH of <sched.h>, which Swift does not import.
            let batch: CInt = 3
            var parameters = sched_param()
            sched_setscheduler(0, batch, &parameters)
        #endif
    }
}
