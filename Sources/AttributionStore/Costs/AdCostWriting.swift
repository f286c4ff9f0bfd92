package import Attribution

/// A store that keeps what reports divide by.
package protocol AdCostWriting: Sendable {
    /// Adds up lines of signed impressions in one transaction, each line once however often it comes.
    ///
    /// - Parameters:
    ///   - counts: The lines.
    ///   - ads: Of which ads.
    /// - Returns: What became of them, after the commit.
    /// - Throws: ``StoreError``; whoever does not know whether they were added adds them again.
    @discardableResult
    func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> SignedRecording

    /// Adds up lines of real ads as ``addSigned(_:of:)`` does, but does not wait for others that add some.
    ///
    /// - Returns: What became of them; nil if others add some, and these are to be added again later.
    /// - Throws: ``StoreError``.
    func addSignedUnlessBusy(_ counts: [SignedImpressionCount]) throws -> SignedRecording?

    /// Records spend in one transaction, all of it or nothing.
    ///
    /// - Parameters:
    ///   - spend: The statements.
    ///   - ads: Of which ads.
    ///   - replaces: Whether amounts that were stated before are replaced; otherwise another amount is a conflict.
    /// - Returns: What became of them, after the commit.
    /// - Throws: ``StoreError``; then nothing was recorded.
    func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording
}

extension AdCostWriting {
    /// Adds them at once, for a store with one writer.
    package func addSignedUnlessBusy(_ counts: [SignedImpressionCount]) throws -> SignedRecording? {
        try addSigned(counts, of: .real)
    }
}
