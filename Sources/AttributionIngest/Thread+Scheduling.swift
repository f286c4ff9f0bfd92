import CThread
package import Foundation

extension Thread {
    /// Runs blocking work on a thread of its own, scheduled as batch work, and returns when it has ended.
    ///
    /// Otherwise a writer that returns from its commit would preempt the event loop while that reads the next bodies;
    /// with few cores, batches stay small and the threads evict each other's caches.
    ///
    /// - Parameters:
    ///   - name: The thread's name, of which the kernel keeps 15 bytes.
    ///   - work: The work.
    package static func runBatchWork(named name: String, _ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { ended in
            Thread {
                Thread.current.name = name
                thread_schedule_as_batch()
                work()
                ended.resume()
            }.start()
        }
    }
}
