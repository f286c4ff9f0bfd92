/// Ends an answer that takes too long, or that nobody waits for any more.
package struct AnswerCheck {
    /// Whether counting works in turns.
    let isBackground: Bool
    private let deadline: Duration?
    private let start: ContinuousClock.Instant
    private let checkCancellation: () throws -> Void

    /// Watches over an answer.
    ///
    /// - Parameters:
    ///   - limits: The limits of its question.
    ///   - start: When the question was asked.
    ///   - checkCancellation: Throws if nobody waits for the answer any more.
    package init(
        _ limits: LedgerLimits,
        since start: ContinuousClock.Instant,
        _ checkCancellation: @escaping () throws -> Void
    ) {
        isBackground = limits.isBackground
        deadline = limits.deadline
        self.start = start
        self.checkCancellation = checkCancellation
    }

    /// Returns while the answer is wanted.
    ///
    /// - Throws: ``LedgerQuestionError/deadlinePassed(_:)``, and `CancellationError`.
    package func callAsFunction() throws {
        try checkCancellation()
        _ = try remaining()
    }

    /// How much time there is; nil for no limit.
    ///
    /// - Throws: ``LedgerQuestionError/deadlinePassed(_:)`` if there is none left.
    package func remaining() throws(LedgerQuestionError) -> Duration? {
        guard let deadline else {
            return nil
        }
        let remaining = deadline - (ContinuousClock.now - start)
        guard remaining > .zero else {
            throw .deadlinePassed(deadline)
        }
        return remaining
    }
}
