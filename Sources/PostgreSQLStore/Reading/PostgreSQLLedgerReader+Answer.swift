import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// Answers a question in one snapshot, with one pass over the columns; see
    /// ``AttributionStore/LedgerReading/answer(_:)``.
    package func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        try await read(question.limits, isSettled: question.asOf == nil) { snapshot, check in
            try LedgerAnswer(snapshot, question, check)
        }
    }
}

extension LedgerAnswer {
    fileprivate init(_ snapshot: LedgerSnapshot, _ question: LedgerQuestion, _ check: AnswerCheck) throws {
        let connection = snapshot.connection
        let newest = try snapshot.ordered(question.asOf)
        let source = try PostgreSQLColumnSource(connection, question, through: newest.point)
        let counted = try ColumnCount(source, question, check).counted()
        self.init(
            rows: counted.rows, totals: counted.totals,
            deliveries: try DeliveryCounts(connection, received: question.received),
            position: newest.position, recordedAtMilliseconds: newest.recordedAt, unseen: counted.unseen,
            damaged: counted.damaged, unreadableCount: counted.unreadableCount)
    }
}
