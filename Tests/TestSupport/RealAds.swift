package import Attribution
package import AttributionStore

// What most tests are about: real ads, without limits.

extension AdCostWriting {
    /// Adds up lines of real ads, and returns how many are new.
    @discardableResult
    package func addSigned(_ counts: [SignedImpressionCount]) throws -> Int {
        try addSigned(counts, of: .real)
    }

    /// Records spend on real ads.
    package func recordSpend(_ spend: [Spend], replaces: Bool) throws -> SpendRecording {
        try recordSpend(spend, of: .real, replaces: replaces)
    }
}

extension LedgerReading {
    /// What is known of the real ads of some days.
    package func costs(_ days: ClosedRange<CalendarDay>) async throws -> AdCosts {
        try await costs(AdCostQuestion(days: days))
    }
}
