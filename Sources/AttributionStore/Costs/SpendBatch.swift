package import Attribution

/// What became of statements of spend.
package struct SpendRecording: Hashable, Sendable {
    /// A statement that contradicts another one.
    package struct Conflict: Hashable, Sendable {
        /// The index of the statement.
        package let index: Int
        /// The amount that was stated before.
        package let amount: Money
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
    /// What becomes of them.
    package private(set) var recording = SpendRecording()
    /// The amounts to be written.
    package private(set) var written: [Spend.Key: Money] = [:]

    /// Compares statements with those of a store.
    ///
    /// - Parameters:
    ///   - spend: The statements.
    ///   - stored: The amounts that the store has for their keys.
    ///   - replaces: Whether other amounts are replaced.
    package init(_ spend: [Spend], stored: [Spend.Key: Money], replaces: Bool) {
        for (index, spend) in spend.enumerated() {
            if let earlier = written[spend.key] {
                // Two statements at once; neither can be the later one.
                if earlier == spend.amount {
                    recording.known += 1
                } else {
                    recording.conflicts.append(.init(index: index, amount: earlier))
                }
            } else if let earlier = stored[spend.key], earlier != spend.amount {
                if replaces {
                    recording.replaced += 1
                    written[spend.key] = spend.amount
                } else {
                    recording.conflicts.append(.init(index: index, amount: earlier))
                }
            } else if stored[spend.key] != nil {
                recording.known += 1
            } else {
                recording.new += 1
                written[spend.key] = spend.amount
            }
        }
        if !recording.conflicts.isEmpty {
            let conflicts = recording.conflicts
            recording = SpendRecording()
            recording.conflicts = conflicts
            written = [:]
        }
    }
}
