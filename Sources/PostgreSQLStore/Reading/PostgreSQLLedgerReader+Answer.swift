import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// Answers a question in one snapshot, with one GROUP BY over the facts; see
    /// ``AttributionStore/LedgerReading/answer(_:)``.
    package func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        let start = ContinuousClock.now
        return try await read(isSettled: question.asOf == nil) { snapshot in
            try LedgerCount(snapshot, question, start).answer()
        }
    }
}

/// The work of one answer.
private struct LedgerCount {
    private let snapshot: LedgerSnapshot
    private let question: LedgerQuestion
    private let start: ContinuousClock.Instant

    init(_ snapshot: LedgerSnapshot, _ question: LedgerQuestion, _ start: ContinuousClock.Instant) {
        self.snapshot = snapshot
        self.question = question
        self.start = start
    }

    func answer() throws -> LedgerAnswer {
        try limitTime()
        do {
            return try count()
        } catch let fault as PostgreSQLFault where fault.sqlState == PostgreSQLFault.canceled {
            guard let deadline = question.limits.deadline, ContinuousClock.now - start >= deadline else {
                throw fault
            }
            throw LedgerQuestionError.deadlinePassed(deadline)
        }
    }

    private func count() throws -> LedgerAnswer {
        let newest = try snapshot.ordered(question.asOf)
        let traits = try TraitsCodes(snapshot.connection)
        let conditions = try QuestionConditions(question, traits, snapshot)
        let periods = try PeriodCodes(question, snapshot)
        let grouping = QuestionSQL(question, conditions, periods, snapshot, upTo: newest)
        let result = try snapshot.connection.run(grouping.sql, grouping.parameters)
        guard result.count <= question.limits.cells else {
            throw LedgerQuestionError.tooManyCells(limit: question.limits.cells)
        }
        let rows = try AnswerCells(result, question, traits, periods, snapshot.connection)
        return LedgerAnswer(
            rows: rows.rows, totals: rows.totals,
            deliveries: try DeliveryCounts(snapshot.connection, received: question.received),
            position: newest.position, recordedAtMilliseconds: newest.recordedAt, unseen: conditions.unseen)
    }

    /// Lets the server end what takes too long, and gives it memory and workers to group by.
    private func limitTime() throws {
        var left = ""
        if let deadline = question.limits.deadline {
            let remaining = deadline - (ContinuousClock.now - start)
            guard remaining > .zero else {
                throw LedgerQuestionError.deadlinePassed(deadline)
            }
            let (seconds, attoseconds) = remaining.components
            left = String(max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
        }
        // Compiling a statement takes longer than it saves in the three seconds a report may take. How many groups there
        // are is estimated far too high for several dimensions, and by the usual costs of handing groups over to the
        // leader the planner would count them with one process.
        try snapshot.connection.run(
            """
            SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
                set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
                set_config('statement_timeout', CASE $1 WHEN '' THEN '0' ELSE $1 END, true)
            """, [.text(left)])
    }
}
