/// How much an ingestor takes at a time.
package struct IngestorLimits: Hashable, Sendable {
    /// The most bodies that wait for the writer; more are turned away at once.
    package let queuedBodies: Int
    /// The most bodies of one transaction.
    package let batch: Int
    /// How long a busy writer waits for a batch to grow.
    let gatheringMilliseconds = 1
    /// How large it lets it grow meanwhile: beyond that a larger batch saves little.
    let gathered = 64
    /// The batch from which on a writer is busy.
    let busyBatch = 4

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - queuedBodies: By default 8,192, at 500 bytes each some 4 MiB and well under a second of work.
    ///   - batch: By default 1,024, beyond which a commit no longer becomes cheaper for each postback.
    package init(queuedBodies: Int = 8_192, batch: Int = 1_024) {
        self.queuedBodies = queuedBodies
        self.batch = batch
    }
}
