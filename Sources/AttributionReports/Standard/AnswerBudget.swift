package import AttributionStore

/// The limits on the cost of everything that an answer takes.
package struct AnswerBudget: Sendable {
    private let limits: LedgerLimits
    private let start = ContinuousClock.now

    /// Begins to count the time.
    package init(_ limits: LedgerLimits) {
        self.limits = limits
    }

    /// Asks a question with what is left of the deadline.
    func spend<Answer>(_ ask: (LedgerLimits) async throws -> Answer) async throws -> Answer {
        guard let deadline = limits.deadline else {
            return try await ask(limits)
        }
        var rest = limits
        rest.deadline = max(.milliseconds(1), deadline - (ContinuousClock.now - start))
        do {
            return try await ask(rest)
        } catch LedgerQuestionError.deadlinePassed {
            throw LedgerQuestionError.deadlinePassed(deadline)
        }
    }

    /// Ends work that takes longer than the deadline.
    ///
    /// - Throws: ``AttributionStore/LedgerQuestionError/deadlinePassed(_:)``.
    package func checkDeadline() throws(LedgerQuestionError) {
        if let deadline = limits.deadline, ContinuousClock.now - start > deadline {
            throw .deadlinePassed(deadline)
        }
    }
}
