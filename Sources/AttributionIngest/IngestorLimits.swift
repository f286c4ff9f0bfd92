/// The limits of an ingestor's queue and batches.
package struct IngestorLimits: Hashable, Sendable {
    /// The most bodies that wait for the writer; more are refused immediately.
    package let queuedBodies: Int
    /// The most bodies of one transaction.
    package let batch: Int
    /// How long a busy writer waits for a batch to grow.
    let gatheringMilliseconds = 1
    /// The size up to which it waits for a batch to grow; larger batches save little.
    let largestGatheredBatch = 64
    /// The size of a batch from which on the writer is busy.
    let busyBatch = 4

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - queuedBodies: By default 8,192, about 4 MiB of typical bodies and well under a second of work.
    ///   - batch: By default 1,024; larger batches do not reduce the cost per postback.
    package init(queuedBodies: Int = 8_192, batch: Int = 1_024) {
        self.queuedBodies = queuedBodies
        self.batch = batch
    }
}
