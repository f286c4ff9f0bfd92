import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// Answers a question in one snapshot, with one pass over the columns.
    ///
    /// Blocks of columns may be read in later snapshots, in which they are the same. Cancelling the task stops the pass.
    ///
    /// - Parameter question: What to count.
    /// - Returns: Rows, totals and deliveries.
    /// - Throws: ``AttributionStore/LedgerQuestionError``, ``AttributionStore/StoreError``, and `CancellationError`.
    package func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        let start = ContinuousClock.now
        if let owner, question.limits.isBackground {
            let answer = try await readRenewing(question.limits, since: start, beside: owner) { db, snapshot, check in
                try self.answer(question, db, snapshot, check)
            }
            if let answer {
                return answer
            }
        }
        return try await read(question.limits, since: start) { db, check in try self.answer(question, db, nil, check) }
    }

    private func answer(
        _ question: LedgerQuestion, _ db: Database, _ snapshot: RenewedSnapshot?, _ check: AnswerCheck
    ) throws -> LedgerAnswer {
        guard try RecreatableTables.columns.exist(db) else {
            throw StoreError.failed(path: path, .damaged)
        }
        return try LedgerAnswer(db, question, snapshot, blocksAlone: blocksAlone, check)
    }
}

extension LedgerAnswer {
    /// Computes an answer.
    fileprivate init(
        _ db: Database,
        _ question: LedgerQuestion,
        _ snapshot: RenewedSnapshot?,
        blocksAlone: Int64,
        _ check: AnswerCheck
    ) throws {
        let newest = try LedgerScan.newestRow(db)
        let position = try LedgerPosition(of: db, newest: newest, question.asOf)
        // Before the blocks, which may be read in a later snapshot.
        let deliveries = try DeliveryCounts(db, received: question.received)
        let recordedAt = try Database.nilIfDamaged {
            try Int64.fetchOne(db, sql: "SELECT recorded_at FROM postback WHERE id = ?", arguments: [position.last])
        }.flatMap(\.self)
        let source = try SQLiteColumnSource(db, newest: newest, through: position.last, snapshot)
        let counted = try ColumnCount(source, question, blocksAlone: blocksAlone, check).counted()
        self.init(
            rows: counted.rows, totals: counted.totals, deliveries: deliveries, position: position,
            recordedAtMilliseconds: recordedAt,
            unseen: counted.unseen, damaged: counted.damaged, unreadableCount: counted.unreadableCount)
    }
}

extension LedgerPosition {
    /// Validates a position of this store, or returns that of the newest postback if there is none.
    init(of db: Database, newest: Int64, _ wanted: LedgerPosition?) throws {
        let store = try String.fetchOne(db, sql: "SELECT store FROM owner") ?? ""
        guard let wanted else {
            self.init(store: store, last: newest, check: try Self.check(db, newest))
            return
        }
        guard wanted.store == store else {
            throw LedgerQuestionError.foreignPosition(wanted)
        }
        guard wanted.last <= newest else {
            throw LedgerQuestionError.futurePosition(wanted)
        }
        if let check = wanted.check, let present = try Self.check(db, wanted.last), present != check {
            throw LedgerQuestionError.replacedPosition(wanted)
        }
        self = wanted
    }

    /// The ``check`` of a postback's position.
    static func check(_ db: Database, _ id: Int64) throws -> UInt16? {
        let row = try Database.nilIfDamaged {
            try Row.fetchOne(db.cachedStatement(sql: "SELECT key_digest FROM postback WHERE id = ?"), arguments: [id])
        }
        return try row.flatMap(\.self)?.digest(at: 0)?.positionCheck
    }
}
