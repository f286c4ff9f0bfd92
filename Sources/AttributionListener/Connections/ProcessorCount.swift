import CThread
import NIOCore

/// How many threads of this process can run at the same time.
package enum ProcessorCount {
    /// The processors of the machine, or fewer where the process is confined: by its affinity, or a container's quota.
    package static var available: Int {
        let allowed = Int(thread_processor_count())
        return max(1, allowed > 0 ? min(System.coreCount, allowed) : System.coreCount)
    }
}
