package import Attribution

/// What lines of signed impressions change in a store that may have counted some of them before.
package struct SignedCountBatch: Sendable {
    /// What a store has one sum of.
    package struct Row: Hashable, Sendable {
        /// The day of UTC.
        package let day: CalendarDay
        /// What was signed.
        package let campaign: SignedCampaign

        /// Names a row.
        package init(day: CalendarDay, campaign: SignedCampaign) {
            self.day = day
            self.campaign = campaign
        }
    }

    /// How many of the lines are new.
    package private(set) var newLines = 0
    /// What is added to the sums.
    package private(set) var sums: [Row: Int64] = [:]
    /// What was counted of the writers afterwards.
    package let sequences: SequenceChange

    /// Finds out what is new.
    ///
    /// - Parameters:
    ///   - counts: The lines.
    ///   - counted: What was counted of their writers before.
    package init(_ counts: [SignedImpressionCount], counted: [Nonce: SequenceRanges]) {
        var ranges = counted
        for count in counts where ranges[count.writer, default: SequenceRanges()].insert(count.sequence) {
            newLines += 1
            sums[Row(day: count.day, campaign: count.campaign), default: 0] += count.signed
        }
        sequences = SequenceChange(from: counted, to: ranges)
    }
}
