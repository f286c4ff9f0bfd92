import CThread
package import Foundation

extension Thread {
    /// Runs a writer on a thread of its own, and returns when it has ended.
    ///
    /// A commit waits for the disk several times, with little to do in between. As batch work, the thread would wait each
    /// time for the kernel's clock to tick while an event loop is busy on its core: four or eight milliseconds.
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
                thread_schedule_in_short_slices(givesWay)
                work()
                ended.resume()
            }.start()
        }
    }
}
