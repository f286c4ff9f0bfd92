package import AttributionStore

extension PostgreSQLLedgerWriter: DestinationWriting {
    /// How long a node has its destinations after it last said so, by the database's clock.
    ///
    /// Not an advisory lock: one of a transaction would be as long as the delivery, and one of a session is of no use
    /// behind a pooler.
    private static let claimTime = "interval '15 seconds'"

    /// Takes destinations; see ``AttributionStore/DestinationWriting/claim(_:)``.
    package func claim(_ names: [String]) throws -> [StoredDestination] {
        try withUnwatchedSession { session in
            try session.connection().transaction { connection in
                let owned: [PostgreSQLParameter] = [.texts(names), .text(forwardingNode)]
                try connection.run(
                    """
                    INSERT INTO skan.destination (
                        name, start_order, start_id, last_order, last_id, last_recorded_at, state)
                    SELECT name, coalesce(newest.commit_order, 0), coalesce(newest.id, 0),
                        coalesce(newest.commit_order, 0), coalesce(newest.id, 0), 0, 'running'
                    FROM unnest($1::text[]) AS name LEFT JOIN (
                        SELECT commit_order, id FROM skan.postback WHERE commit_order < skan.horizon()
                        ORDER BY commit_order DESC, id DESC LIMIT 1) AS newest ON true
                    WHERE NOT EXISTS (SELECT FROM skan.destination AS known WHERE known.name = name.name)
                    ON CONFLICT (name) DO NOTHING
                    """, [.texts(names)])
                try connection.run(
                    "UPDATE skan.destination SET node_until = 'epoch' WHERE node = $2 AND name <> ALL ($1::text[])",
                    owned)
                try connection.run(
                    """
                    UPDATE skan.destination SET node = $2, node_until = clock_timestamp() + \(Self.claimTime)
                    WHERE name = ANY ($1::text[]) AND (node = $2 OR node_until < clock_timestamp())
                    """, owned)
                try connection.run(
                    """
                    UPDATE skan.destination SET
                        last_order = start_order, last_id = start_id, last_recorded_at = 0, last_check = NULL
                    WHERE name = ANY ($1::text[]) AND node = $2 AND last_recorded_at > 0 AND NOT EXISTS (
                        SELECT FROM skan.postback AS p
                        WHERE \(FeedCursor.matching("last_id", "last_order", "last_recorded_at", "last_check")))
                    """, owned)
                let result = try connection.run(
                    "SELECT \(StoredDestination.columns) WHERE name = ANY ($1::text[]) AND node = $2 ORDER BY name",
                    owned)
                return try (0..<result.count).map { try StoredDestination(result, $0) }
            }
        }
    }

    /// Saves progress; see ``AttributionStore/DestinationWriting/save(_:)``.
    package func save(_ progress: DestinationProgress) throws -> Bool {
        try withUnwatchedSession { session in
            try session.connection().transaction { try progress.save(by: forwardingNode, $0) }
        }
    }

    /// Changes the state; see ``AttributionStore/DestinationWriting/setState(of:to:)``.
    package func setState(of name: String, to state: DestinationState) throws -> Bool {
        try withUnwatchedSession { session in
            try session.connection().transaction { connection in
                let changed = try connection.run(
                    "UPDATE skan.destination SET state = $2, failure_run = 0 WHERE name = $1",
                    [.text(name), .text(state.rawValue)]
                ).changedCount
                if changed > 0, state == .running {
                    try connection.run(
                        "UPDATE skan.destination_postback SET due_at = 0, attempts = 0 WHERE destination = $1",
                        [.text(name)])
                }
                return changed > 0
            }
        }
    }
}

extension DestinationProgress {
    fileprivate func save(by node: String, _ connection: PostgreSQLConnection) throws -> Bool {
        let isSaved = try connection.run(
            """
            UPDATE skan.destination SET
                last_order = $6, last_id = $7, last_recorded_at = $8, last_check = $9, failure_run = $10,
                last_success_at = coalesce($11, last_success_at), last_failure_at = coalesce($12, last_failure_at),
                last_failure = CASE WHEN $13 = '' THEN last_failure ELSE $13 END,
                state = CASE WHEN $14 AND state = 'running' THEN 'gone' ELSE state END
            WHERE name = $1 AND node = $2 AND last_order = $3 AND last_id = $4 AND last_recorded_at = $5
                AND ($8 = 0 OR EXISTS (
                    SELECT FROM skan.postback AS p WHERE \(FeedCursor.matching("$7", "$6", "$8", "$9"))))
            """,
            [
                .text(name), .text(node), .integer(from.order), .integer(from.id),
                .integer(from.recordedAtMilliseconds), .integer(to.order), .integer(to.id),
                .integer(to.recordedAtMilliseconds), .integer(to.check.map { Int64($0) }), .integer(failureRun),
                .integer(lastSuccessAt), .integer(lastFailureAt), .text(lastFailure), .bool(isGone),
            ]
        ).changedCount
        guard isSaved > 0 else {
            return false
        }
        if !settled.isEmpty {
            try connection.run(
                "DELETE FROM skan.destination_postback WHERE destination = $1 AND id = ANY ($2::int8[])",
                [.text(name), .integers(settled.sorted())])
        }
        for failed in failed.values {
            try connection.run(
                """
                INSERT INTO skan.destination_postback
                    (destination, id, recorded_at, attempts, due_at, attempted_at, status, text)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                ON CONFLICT (destination, id) DO UPDATE SET
                    attempts = excluded.attempts, due_at = excluded.due_at, attempted_at = excluded.attempted_at,
                    status = excluded.status, text = excluded.text
                """,
                [
                    .text(name), .integer(failed.postback), .integer(failed.recordedAtMilliseconds),
                    .integer(failed.attempts), .integer(failed.dueAt), .integer(failed.attemptedAt),
                    .integer(failed.status), .text(failed.text),
                ])
        }
        if wakes {
            try connection.run(
                """
                UPDATE skan.destination_postback SET due_at = 0 WHERE destination = $1 AND due_at IS NOT NULL
                """, [.text(name)])
        }
        return true
    }
}

extension PostgreSQLLedgerReader {
    /// How many postbacks behind a cursor are counted at most.
    private static let mostCounted = 100_000

    /// How far destinations have come; see ``AttributionStore/DestinationReading/forwardingStatus()``.
    package func forwardingStatus() async throws -> ForwardingStatus {
        try await read { snapshot in
            let result = try snapshot.connection.run(
                """
                SELECT d.*, behind.count, behind.oldest
                FROM (SELECT \(StoredDestination.columns)) AS d, LATERAL (
                    SELECT count(*) AS count, min(recorded) AS oldest FROM (
                        SELECT floor(extract(epoch FROM p.recorded_at) * 1000)::int8 AS recorded
                        FROM skan.postback AS p
                        WHERE (p.commit_order, p.id) > (d.last_order, d.last_id) AND \(FeedPage.isNoHistory)
                        ORDER BY p.commit_order, p.id LIMIT \(Self.mostCounted)
                    ) AS found
                ) AS behind
                ORDER BY d.name
                """)
            let held = try snapshot.connection.run(
                """
                SELECT floor(extract(epoch FROM min(recorded_at)) * 1000)::int8 FROM skan.postback
                WHERE commit_order >= $1
                """, [.integer(snapshot.horizon)])
            let count = StoredDestination.columnCount
            return ForwardingStatus(
                destinations: try (0..<result.count).map { row in
                    .init(
                        destination: try StoredDestination(result, row), count: try result.integer(row, count),
                        oldestAt: try result.optional(row, count + 1))
                }, heldSince: try held.optional(0, 0))
        }
    }

    /// Postbacks behind a cursor; see ``AttributionStore/DestinationReading/feed(after:limit:bytes:)``.
    ///
    /// Nothing at or above the horizon is handed out, as by ``export(_:)``.
    package func feed(after cursor: FeedCursor, limit: Int, bytes: Int) async throws -> FeedPage {
        try await read { snapshot in
            let newest = try snapshot.ordered()
            let result = try snapshot.connection.run(
                """
                SELECT \(RecordedPostback.columns), p.commit_order \(RecordedPostback.tables)
                WHERE p.commit_order < $1 AND (p.commit_order, p.id) > ($2, $3) AND \(FeedPage.isNoHistory)
                ORDER BY p.commit_order, p.id LIMIT $4
                """,
                [
                    .integer(snapshot.horizon), .integer(cursor.order), .integer(cursor.id), .integer(Int64(limit)),
                ])
            var postbacks: [(cursor: FeedCursor, postback: RecordedPostback)] = []
            var size = 0
            while size < bytes, postbacks.count < result.count {
                let postback = try RecordedPostback(result, postbacks.count)
                let order = try result.integer(postbacks.count, RecordedPostback.columnCount)
                size += postback.body?.count ?? 0
                postbacks.append(
                    (
                        FeedCursor(
                            id: postback.id, order: order, recordedAtMilliseconds: postback.recordedAtMilliseconds,
                            check: postback.check), postback
                    ))
            }
            var end = postbacks.last?.cursor ?? cursor
            let isLast = postbacks.count == result.count && limit > result.count
            if isLast, (newest.commitOrder, newest.position.last) > (end.order, end.id) {
                end = FeedCursor(
                    id: newest.position.last, order: newest.commitOrder,
                    recordedAtMilliseconds: newest.recordedAt ?? 0, check: newest.position.check)
            }
            return FeedPage(postbacks: postbacks, end: end)
        }
    }

    /// Postbacks that were not taken; see ``AttributionStore/DestinationReading/failedForwardings(of:due:limit:)``.
    package func failedForwardings(of name: String, due: Int64?, limit: Int) async throws -> [FailedForwarding] {
        try await read { snapshot in
            let result = try snapshot.connection.run(
                """
                SELECT id, recorded_at, attempts, due_at, attempted_at, status, text FROM skan.destination_postback
                WHERE destination = $1 AND ($2::int8 IS NULL OR due_at <= $2)
                ORDER BY due_at NULLS LAST, id LIMIT $3
                """, [.text(name), .integer(due), .integer(Int64(limit))])
            return try (0..<result.count).map { row in
                FailedForwarding(
                    postback: try result.integer(row, 0), recordedAtMilliseconds: try result.integer(row, 1),
                    attempts: try result.integer(row, 2), dueAt: try result.optional(row, 3),
                    attemptedAt: try result.integer(row, 4), status: try result.optional(row, 5),
                    text: try result.text(row, 6))
            }
        }
    }
}

extension FeedPage {
    /// The condition that a postback of `p` came neither by import nor from another store.
    fileprivate static let isNoHistory =
        "NOT EXISTS (SELECT FROM skan.imported_batch AS i WHERE i.commit_order = p.commit_order)"
}

extension FeedCursor {
    /// The condition that `p` is the postback of a cursor with these expressions.
    fileprivate static func matching(_ id: String, _ order: String, _ recordedAt: String, _ check: String) -> String {
        """
        p.id = \(id) AND p.commit_order = \(order)
            AND floor(extract(epoch FROM p.recorded_at) * 1000)::int8 = \(recordedAt)
            AND p.key_check::int4 & 65535 = \(check)
        """
    }
}

extension StoredDestination {
    /// What ``init(_:_:)`` takes, and where it is read from.
    fileprivate static let columns = """
        name, state, last_order, last_id, last_recorded_at, last_check, failure_run, last_success_at, last_failure_at,
        last_failure,
        (SELECT count(*) FROM skan.destination_postback WHERE destination = name AND due_at IS NOT NULL) AS waiting,
        (SELECT count(*) FROM skan.destination_postback WHERE destination = name AND due_at IS NULL) AS parked
        FROM skan.destination
        """
    fileprivate static let columnCount = 12

    /// Takes a row of ``columns``.
    fileprivate init(_ result: PostgreSQLResult, _ row: Int) throws {
        self.init(
            name: try result.text(row, 0), state: try result.word(row, 1),
            cursor: FeedCursor(
                id: try result.integer(row, 3), order: try result.integer(row, 2),
                recordedAtMilliseconds: try result.integer(row, 4),
                check: try result.optional(row, 5).map { UInt16(truncatingIfNeeded: $0) }))
        failureRun = try result.integer(row, 6)
        lastSuccessAt = try result.optional(row, 7)
        lastFailureAt = try result.optional(row, 8)
        lastFailure = try result.text(row, 9)
        waitingCount = try result.integer(row, 10)
        parkedCount = try result.integer(row, 11)
    }
}

extension PostgreSQLConnection {
    /// Notes that what this transaction records is history, which is not forwarded.
    func noteImported() throws {
        try run(
            """
            INSERT INTO skan.imported_batch (commit_order)
            SELECT commit_base + pg_current_xact_id()::text::int8 FROM skan.store
            ON CONFLICT DO NOTHING
            """)
    }
}
