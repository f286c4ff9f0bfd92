import Attribution
package import AttributionStore
import StrictJSON

/// Answers report requests from a ledger.
package struct Reporter: Sendable {
    private let ledger: any LedgerReading
    private let programVersion: String?

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - ledger: What is reported from.
    ///   - programVersion: The version of the program, which reports name.
    package init(_ ledger: any LedgerReading, programVersion: String? = nil) {
        self.ledger = ledger
        self.programVersion = programVersion
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - limits: How much the answer may cost.
    /// - Returns: The report.
    /// - Throws: What the store reports; ``Attribution/FieldProblem`` for a position that is not one of this store, and
    ///   ``AttributionStore/LedgerQuestionError`` for an answer that would cost more than the limits.
    package func report(_ request: ReportRequest, limits: LedgerLimits = LedgerLimits()) async throws -> Report {
        do {
            let answer = try await ledger.answer(request.question(limits: limits))
            return Report(request: request, answer: answer, programVersion: programVersion)
        } catch LedgerQuestionError.foreignPosition(let position) {
            throw FieldProblem(
                field: "as-of", found: "\(position), a position of another store",
                expected: "one that an earlier report of this store names")
        } catch LedgerQuestionError.futurePosition(let position) {
            throw FieldProblem(
                field: "as-of", found: "\(position), which this store has not reached",
                expected: "one that an earlier report names; the store may be an older copy")
        } catch LedgerQuestionError.replacedPosition(let position) {
            throw FieldProblem(
                field: "as-of", found: "\(position), whose postbacks are not the store's any more",
                expected: "one that a report named since the store was restored from an older copy")
        }
    }
}
