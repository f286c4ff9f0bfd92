package import Attribution

/// A store that keeps what reports divide by.
package protocol AdCostWriting: Sendable {
    /// Adds up lines of signed impressions in one transaction, each line once however often it comes.
    ///
    /// - Parameter counts: The lines.
    /// - Returns: How many of them are new, after the commit.
    /// - Throws: ``StoreError``; whoever does not know whether they were added adds them again.
    @discardableResult
    func addSigned(_ counts: [SignedImpressionCount]) throws -> Int

    /// Adds up lines as ``addSigned(_:)`` does, but does not wait for others that add some.
    ///
    /// - Returns: Whether they were added; otherwise they are added again later.
    /// - Throws: ``StoreError``.
    func addSignedUnlessBusy(_ counts: [SignedImpressionCount]) throws -> Bool

    /// Records spend in one transaction, all of it or nothing.
    ///
    /// - Parameters:
    ///   - spend: The statements.
    ///   - replaces: Whether amounts that were stated before are replaced; otherwise another amount is a conflict.
    /// - Returns: What became of them, after the commit.
    /// - Throws: ``StoreError``; then nothing was recorded.
    func recordSpend(_ spend: [Spend], replaces: Bool) throws -> SpendRecording
}

extension AdCostWriting {
    /// Adds them at once, for a store with one writer.
    package func addSignedUnlessBusy(_ counts: [SignedImpressionCount]) throws -> Bool {
        try addSigned(counts)
        return true
    }
}
