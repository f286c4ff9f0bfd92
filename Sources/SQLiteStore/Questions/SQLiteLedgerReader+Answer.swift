package import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// Answers a question in one snapshot, with one pass over the columns; cancelling the task stops the pass.
    ///
    /// - Throws: ``AttributionStore/LedgerQuestionError``, ``AttributionStore/StoreError``, and `CancellationError`.
    package func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        try await read(question.limits) { db, check in try LedgerAnswer(db, question, check) }
    }

    /// Returns a page of recorded postbacks.
    ///
    /// Continuing from page to page returns every postback once, including those recorded in the meantime.
    ///
    /// - Throws: ``AttributionStore/LedgerQuestionError`` for a position of another store, and
    ///   ``AttributionStore/StoreError``.
    package func export(_ query: ExportQuery) async throws -> ExportPage {
        try await read { db in
            let newest = try LedgerScan.newestRow(db)
            let start = try LedgerPosition(of: db, newest: newest, query.after)
            let postbacks = try PostbackQuery(
                received: query.received, traffic: query.traffic, apps: query.apps,
                after: query.after == nil ? 0 : start.last, limit: query.limit
            ).recorded(db)
            let positions = postbacks.map { LedgerPosition(store: start.store, last: $0.id, check: $0.check) }
            let isLast = postbacks.count < query.limit
            return ExportPage(
                postbacks: Array(zip(positions, postbacks)),
                position: try isLast ? LedgerPosition(of: db, newest: newest, nil) : positions.last ?? start,
                isLast: isLast)
        }
    }

    /// The deliveries received in a time range; see ``AttributionStore/LedgerReading/deliveries(received:inBackground:)``.
    package func deliveries(received: Range<Int64>?, inBackground: Bool) async throws -> DeliveryCounts {
        try await read(inBackground: inBackground) { try DeliveryCounts($0, received: received) }
    }
}

extension LedgerAnswer {
    /// Computes an answer.
    fileprivate init(_ db: Database, _ question: LedgerQuestion, _ check: AnswerCheck) throws {
        let newest = try LedgerScan.newestRow(db)
        let position = try LedgerPosition(of: db, newest: newest, question.asOf)
        let source = try SQLiteColumnSource(db, newest: newest, through: position.last)
        let counted = try ColumnCount(source, question, check).counted()
        self.init(
            rows: counted.rows, totals: counted.totals,
            deliveries: try DeliveryCounts(db, received: question.received), position: position,
            recordedAtMilliseconds: try Int64.fetchOne(
                db, sql: "SELECT recorded_at FROM postback WHERE id = ?", arguments: [position.last]),
            unseen: counted.unseen, damaged: counted.damaged, unreadableCount: counted.unreadableCount,
            countsEveryNetwork: try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM own_network)") ?? false)
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
        try Row.fetchOne(db.cachedStatement(sql: "SELECT key_digest FROM postback WHERE id = ?"), arguments: [id])?
            .digest(at: 0)?.positionCheck
    }
}

extension DeliveryCounts {
    /// Reads the counts of deliveries received in a time range.
    ///
    /// - Parameters:
    ///   - db: The store, in a read transaction.
    ///   - received: The time of receipt in Unix milliseconds, extended to whole quarter hours; nil for all.
    /// - Throws: SQLite's errors.
    init(_ db: Database, received: Range<Int64>?) throws {
        self.init()
        let range: StatementArguments = [received?.quarters.lowerBound ?? .min, received?.quarters.upperBound ?? .max]
        let kinds = try Row.fetchCursor(
            db,
            sql: """
                SELECT status, traffic, reason, recipient, SUM(count), SUM(kept) FROM delivery
                WHERE quarter >= ? AND quarter < ? GROUP BY status, traffic, reason, recipient
                """, arguments: range)
        while let row = try kinds.next() {
            let kind = DeliveryCounts.Kind(
                status: try row.word(0), traffic: Traffic(rawValue: try row.text(1)),
                reason: PostbackRejection.Code(rawValue: try row.text(2)), recipient: try row.word(3))
            add(kind, count: try row.integer(4), kept: try row.integer(5))
        }
        let repeats = try Row.fetchCursor(
            db, sql: "SELECT delay, SUM(count) FROM repeat_delay WHERE quarter >= ? AND quarter < ? GROUP BY delay",
            arguments: range)
        while let row = try repeats.next() {
            if let delay = RepeatDelay(rawValue: Int(try row.integer(0))) {
                add(delay, count: try row.integer(1))
            }
        }
        otherRecipients =
            try Int64.fetchOne(
                db, sql: "SELECT COUNT(*) FROM recipient_copy WHERE received_at >= ? AND received_at < ?",
                arguments: [received?.lowerBound ?? .min, received?.upperBound ?? .max]) ?? 0
    }
}
