import Attribution
import AttributionStore

/// One snapshot of a store, within its transaction.
struct LedgerSnapshot {
    let connection: PostgreSQLConnection
    /// The store's name in positions.
    let store: String
    /// Every transaction with a smaller number is over: rows below it are all there.
    let horizon: Int64
    /// The number of the newest transaction that is seen; nil when there is none.
    let newestOrder: Int64?
    /// Throws if nobody waits for what is read any more.
    let checkCancellation: () throws -> Void

    init(_ connection: PostgreSQLConnection, _ checkCancellation: @escaping () throws -> Void) throws {
        self.connection = connection
        self.checkCancellation = checkCancellation
        let result = try connection.run(
            "SELECT id, skan.horizon(), (SELECT max(commit_order) FROM skan.postback) FROM skan.store")
        guard result.count == 1 else {
            throw DamagedValue(column: 0)
        }
        store = try result.text(0, 0)
        horizon = try result.integer(0, 1)
        newestOrder = try result.optional(0, 2)
    }

    /// A position, and where it is in the order of the commits.
    struct OrderedPosition {
        let position: LedgerPosition
        let commitOrder: Int64
        /// When its postback was recorded, in Unix milliseconds; nil before the first.
        let recordedAt: Int64?

        /// Its postback.
        var point: CommitPoint {
            CommitPoint(order: commitOrder, id: position.last)
        }
    }

    /// The position asked for, or that of the newest postback below the horizon.
    func ordered(_ wanted: LedgerPosition? = nil) throws -> OrderedPosition {
        guard let wanted else {
            return try ordered(
                """
                SELECT id, commit_order, key_check, floor(extract(epoch FROM recorded_at) * 1000)::int8
                FROM skan.postback WHERE commit_order < $1 ORDER BY commit_order DESC, id DESC LIMIT 1
                """, horizon) ?? start
        }
        guard wanted.store == store else {
            throw LedgerQuestionError.foreignPosition(wanted)
        }
        guard wanted.last > 0 else {
            return start
        }
        let found = try ordered(
            """
            SELECT id, commit_order, key_check, floor(extract(epoch FROM recorded_at) * 1000)::int8
            FROM skan.postback WHERE id = $1
            """, wanted.last)
        // One that was handed out lies below the horizon for ever.
        guard let found, found.commitOrder < horizon else {
            let newest = try connection.run("SELECT coalesce(max(id), 0) FROM skan.postback").integer(0, 0)
            throw wanted.last > newest
                ? LedgerQuestionError.futurePosition(wanted) : LedgerQuestionError.replacedPosition(wanted)
        }
        if let check = wanted.check, check != found.position.check {
            throw LedgerQuestionError.replacedPosition(wanted)
        }
        return OrderedPosition(position: wanted, commitOrder: found.commitOrder, recordedAt: found.recordedAt)
    }

    private func ordered(_ sql: String, _ parameter: Int64) throws -> OrderedPosition? {
        let result = try connection.run(sql, [.integer(parameter)])
        guard result.count == 1 else {
            return nil
        }
        return OrderedPosition(
            position: position(try result.integer(0, 0), check: try result.integer(0, 2)),
            commitOrder: try result.integer(0, 1), recordedAt: try result.integer(0, 3))
    }

    /// Before the first postback.
    private var start: OrderedPosition {
        OrderedPosition(position: LedgerPosition(store: store, last: 0, check: nil), commitOrder: .min, recordedAt: nil)
    }

    /// The position of a postback.
    func position(_ id: Int64, check: Int64) -> LedgerPosition {
        LedgerPosition(store: store, last: id, check: UInt16(bitPattern: Int16(truncatingIfNeeded: check)))
    }

    /// Lets the server end a statement that takes too long.
    func limitTime(_ remaining: Duration?) throws {
        // The next whole millisecond, so that the time is over when the server ends a statement; 0 is no limit.
        let milliseconds = remaining.map { Int64($0 / .milliseconds(1)) + 1 }
        // Compiling a statement takes longer than it saves: each reads a few thousand rows.
        try connection.run(
            "SELECT set_config('jit', 'off', true), set_config('statement_timeout', $1, true)",
            [.text(String(milliseconds ?? 0))])
    }
}

extension PostgreSQLConnection {
    /// Rows of a query that are in memory at a time.
    private static let rowsOfPart = 4_096

    /// Reads the rows of a query in parts, however many there are, within a transaction.
    func each(
        _ query: String, _ parameters: [PostgreSQLParameter], _ use: (PostgreSQLResult, Int) throws -> Void
    ) throws {
        try run("DECLARE answer NO SCROLL CURSOR FOR \(query)", parameters)
        while true {
            let part = try run("FETCH \(Self.rowsOfPart) FROM answer")
            for row in 0..<part.count {
                try use(part, row)
            }
            guard part.count == Self.rowsOfPart else {
                break
            }
        }
        try run("CLOSE answer")
    }
}
