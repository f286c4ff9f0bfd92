import CThread
package import Foundation

extension Thread {
    /// Runs a writer on a thread of its own, and returns when it has ended.
    ///
    /// It is batch work, so that it does not interrupt the event loop that reads the next bodies. Where others sign, that
    /// is not enough: a commit waits for the disk several times, with little to do in between, and behind an event loop
    /// that signs the thread would wait each time for the kernel's clock to tick, four or eight milliseconds.
    ///
    /// - Parameters:
    ///   - name: The thread's name, of which the kernel keeps 15 bytes.
    ///   - givesWay: Whether it leaves most of a contended processor to other threads of the process.
    ///   - work: The work.
    package static func runWriter(
        named name: String, givesWay: Bool, _ work: @escaping @Sendable () -> Void
    ) async {
        await withCheckedContinuation { ended in
            Thread {
                Thread.current.name = name
                if givesWay {
                    thread_schedule_in_short_slices()
                } else {
                    thread_schedule_as_batch(false)
                }
                work()
                ended.resume()
            }.start()
        }
    }
}
