import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// Answers a question in one snapshot, with one pass over the columns; see
    /// ``AttributionStore/LedgerReading/answer(_:)``.
    package func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        let start = ContinuousClock.now
        return try await read(
            isSettled: question.asOf == nil, inBackground: question.limits.isBackground
        ) { snapshot in
            do {
                try snapshot.limitTime(question.limits.deadline, since: start)
                return try LedgerAnswer(snapshot, question, start, blocksAlone: self.blocksAlone)
            } catch let fault as PostgreSQLFault where fault.sqlState == PostgreSQLFault.canceled {
                guard let deadline = question.limits.deadline, ContinuousClock.now - start >= deadline else {
                    throw fault
                }
                throw LedgerQuestionError.deadlinePassed(deadline)
            }
        }
    }
}

extension LedgerAnswer {
    fileprivate init(
        _ snapshot: LedgerSnapshot, _ question: LedgerQuestion, _ start: ContinuousClock.Instant, blocksAlone: Int64
    ) throws {
        let connection = snapshot.connection
        let newest = try snapshot.ordered(question.asOf)
        let source = try PostgreSQLColumnSource(connection, question, through: newest.point)
        let counted = try ColumnCount(
            source, question, start: start, blocksAlone: blocksAlone, snapshot.checkCancellation
        ).counted()
        self.init(
            rows: counted.rows, totals: counted.totals,
            deliveries: try DeliveryCounts(connection, received: question.received),
            position: newest.position, recordedAtMilliseconds: newest.recordedAt, unseen: counted.unseen,
            damaged: counted.damaged, unreadableCount: counted.unreadableCount)
    }
}

extension LedgerSnapshot {
    /// Lets the server end a statement that takes too long.
    fileprivate func limitTime(_ deadline: Duration?, since start: ContinuousClock.Instant) throws {
        var left = "0"
        if let deadline {
            let remaining = deadline - (ContinuousClock.now - start)
            guard remaining > .zero else {
                throw LedgerQuestionError.deadlinePassed(deadline)
            }
            let (seconds, attoseconds) = remaining.components
            left = String(max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
        }
        // Compiling a statement takes longer than it saves: each reads a few thousand rows.
        try connection.run(
            "SELECT set_config('jit', 'off', true), set_config('statement_timeout', $1, true)", [.text(left)])
    }
}
