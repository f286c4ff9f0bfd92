package import Attribution

/// A store that keeps what reports divide by.
package protocol AdCostWriting: Sendable {
    /// Takes lines of signed impressions in one transaction. Of lines with one writer and number the greatest count is
    /// kept, so that a line counts once however often it comes.
    ///
    /// - Returns: How many lines were new or raised a count, after the commit.
    /// - Throws: ``StoreError``; a caller that does not know whether they were added adds them again.
    @discardableResult
    func addSigned(_ lines: [SignedImpressionCount], of ads: AdTraffic) throws -> Int

    /// Records spend in one transaction, all of it or nothing.
    func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording
}

/// How many statements of spend were new.
package struct SpendRecording: Hashable, Sendable {
    /// A statement that contradicts another one.
    package struct Conflict: Hashable, Sendable {
        /// The index of the statement.
        package let index: Int
        /// The amount that was stated before.
        package let amount: Money

        package init(index: Int, amount: Money) {
            self.index = index
            self.amount = amount
        }
    }

    /// How many are new.
    package var new = 0
    /// How many replaced another amount.
    package var replaced = 0
    /// How many were stated before.
    package var known = 0
    /// Contradictions; with any, nothing was recorded.
    package var conflicts: [Conflict] = []

    /// Nothing was stated.
    package init() {}
}

/// What statements of spend change in a store.
package struct SpendBatch: Sendable {
    /// How many are new, and which contradict others.
    package private(set) var recording = SpendRecording()
    /// The amounts to be written.
    package private(set) var written: [Spend] = []

    /// Compares statements with those of a store.
    package init(_ spend: [Spend], stored: [Spend.Key: Money], replaces: Bool) {
        var amounts: [Spend.Key: Money] = [:]
        for (index, statement) in spend.enumerated() {
            // Neither of two statements at once can be the later one.
            let isRepeated = amounts[statement.key] != nil
            let earlier = amounts[statement.key] ?? stored[statement.key]
            if let earlier, earlier == statement.amount {
                amounts[statement.key] = earlier
                recording.known += 1
            } else if let earlier, isRepeated || !replaces {
                recording.conflicts.append(.init(index: index, amount: earlier))
            } else {
                if earlier == nil { recording.new += 1 } else { recording.replaced += 1 }
                amounts[statement.key] = statement.amount
                written.append(statement)
            }
        }
        if !recording.conflicts.isEmpty {
            let conflicts = recording.conflicts
            recording = SpendRecording()
            recording.conflicts = conflicts
            written = []
        }
    }
}
