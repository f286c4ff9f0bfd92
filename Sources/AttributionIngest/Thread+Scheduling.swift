import Foundation

extension Thread {
    /// Schedules the current thread as batch work, which never interrupts another thread to run.
    ///
    /// A writer back from its commit would otherwise stop the event loop while that reads what the next batch is made
    /// of: where cores are few, batches stay small and the two threads keep taking each other's caches. It takes no
    /// share of the processor away and needs no privilege. It only saves work, so a system that refuses is no error.
    static func scheduleAsBatch() {
        #if os(Linux)
            // SCHED_BATCH of <sched.h>, which Swift does not see.
            let batch: CInt = 3
            var parameters = sched_param()
            sched_setscheduler(0, batch, &parameters)
        #endif
    }
}
