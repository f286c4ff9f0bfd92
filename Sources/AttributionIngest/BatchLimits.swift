/// The limits of a queue that is written in batches.
package struct BatchLimits: Hashable, Sendable {
    /// The most elements that wait; more are refused immediately.
    package let queued: Int
    /// The most elements of one transaction.
    package let batch: Int
    /// How long a busy thread waits for a batch to grow.
    let gatheringMilliseconds = 1
    /// The size up to which it waits for a batch to grow; larger batches save little.
    let largestGatheredBatch = 64
    /// The size of a batch from which on the thread is busy.
    let busyBatch = 4

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - queued: The most elements that wait.
    ///   - batch: The most elements of one transaction.
    package init(queued: Int, batch: Int) {
        self.queued = queued
        self.batch = batch
    }

    /// Those of postbacks: about 4 MiB of typical bodies, and well under a second of work; larger batches do not reduce
    /// the cost per postback.
    package static let postbacks = BatchLimits(queued: 8_192, batch: 1_024)
    /// Those of taps on web ads: as many as there are connections, a few tenths of a second of work; a batch is signed in
    /// about ten milliseconds.
    package static let taps = BatchLimits(queued: 4_096, batch: 256)
}
