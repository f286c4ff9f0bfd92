import Attribution
package import AttributionStore
import StrictJSON

/// Answers report requests from a ledger.
package struct Reporter: Sendable {
    let ledger: any LedgerReading
    let programVersion: String?
    let references: ReportReferences

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - ledger: What is reported from.
    ///   - programVersion: The version of the program, which reports name.
    ///   - references: What reports need to know besides the store.
    package init(
        _ ledger: any LedgerReading,
        programVersion: String? = nil,
        references: ReportReferences = ReportReferences()
    ) {
        self.ledger = ledger
        self.programVersion = programVersion
        self.references = references
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limits: The limits on the cost of the answer.
    /// - Returns: The report.
    /// - Throws: Errors of the store, ``Attribution/FieldProblem`` for a position that is not valid in this store, and
    ///   ``AttributionStore/LedgerQuestionError`` for an answer that exceeds the limits.
    package func report(_ request: ReportRequest, limits: LedgerLimits = LedgerLimits()) async throws -> Report {
        let answer = try await answer(request.question(limits: limits))
        return Report(request: request, answer: answer, programVersion: programVersion)
    }

    /// Answers a question; a position that is not valid in this store is a problem of the parameter that named it.
    func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        do {
            return try await ledger.answer(question)
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
                field: "as-of", found: "\(position), which this store no longer has",
                expected: "one that a report named after the store was restored from an older copy")
        }
    }
}
