package import Attribution

/// What lines of signed impressions change in a store that may have counted some of them before.
package struct SignedCountBatch: Sendable {
    /// What becomes of them.
    package private(set) var recording = SignedRecording()
    /// What is added to the sums.
    package private(set) var sums: [AdCostTable.Row: Int64] = [:]
    /// What was counted of the writers afterwards.
    package let sequences: SequenceChange
    private let counts: [SignedImpressionCount]
    private let counted: [Nonce: SequenceRanges]

    /// Finds out what is new.
    ///
    /// - Parameters:
    ///   - counts: The lines.
    ///   - counted: What was counted of their writers before.
    package init(_ counts: [SignedImpressionCount], counted: [Nonce: SequenceRanges]) {
        var ranges = counted
        for count in counts where ranges[count.writer, default: SequenceRanges()].insert(count.sequence) {
            recording.new += 1
            sums[AdCostTable.Row(count), default: 0] += count.signed
        }
        sequences = SequenceChange(from: counted, to: ranges)
        (self.counts, self.counted) = (counts, counted)
    }

    /// The same without the lines of sums that turned out to be damaged, so that these lines can be added later.
    package func leavingOut(_ damaged: Set<AdCostTable.Row>) -> SignedCountBatch {
        guard !damaged.isEmpty else { return self }
        var batch = SignedCountBatch(counts.filter { !damaged.contains(AdCostTable.Row($0)) }, counted: counted)
        batch.recording.leftOut = recording.new - batch.recording.new
        batch.recording.damaged = damaged
        return batch
    }
}
