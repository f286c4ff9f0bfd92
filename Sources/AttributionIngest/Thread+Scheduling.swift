package import Foundation

extension Thread {
    /// Schedules the current thread as batch work, which never preempts another thread.
    ///
    /// Otherwise a writer that returns from its commit would preempt the event loop while that reads the next bodies;
    /// with few cores, batches stay small and the threads evict each other's caches. The thread keeps its share of the
    /// processor. It is only an optimisation, so failure is ignored.
    package static func scheduleAsBatch() {
        #if os(Linux)
            // SCHED_BATCH of <sched.h>, which Swift does not import.
            let batch: CInt = 3
            var parameters = sched_param()
            sched_setscheduler(0, batch, &parameters)
        #endif
    }
}
