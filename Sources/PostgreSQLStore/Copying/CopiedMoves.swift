import Attribution
import AttributionStore

/// What a transaction makes of deliveries that may have been copied into the quarantine.
struct CopiedMoves {
    private var changes: [Change] = []

    private struct Change {
        /// The delivery's id in the quarantine.
        let id: Int64
        let quarter: Int64
        let kind: DeliveryCounts.Kind
        let count: Int64
        var postback: Int64?
        var delay: RepeatDelay?
    }

    /// Notes what became of a delivery.
    ///
    /// - Parameters:
    ///   - id: Its id in the quarantine.
    ///   - before: What it was counted as.
    ///   - after: What it is counted as.
    ///   - first: The copy of its postback that was counted.
    ///   - delivery: The delivery.
    mutating func note(
        _ id: Int64, from before: DeliveryCounts.Kind, to after: DeliveryCounts.Kind, first: PostbackInsertion.Known?,
        _ delivery: Delivery
    ) {
        let quarter = delivery.receivedAtMilliseconds.quarterOfAnHour
        changes.append(Change(id: id, quarter: quarter, kind: before, count: -1))
        var change = Change(id: id, quarter: quarter, kind: after, count: 1)
        switch after.status {
        case .recorded:
            change.postback = first?.id
        case .duplicate:
            change.delay = first.map {
                RepeatDelay(milliseconds: delivery.receivedAtMilliseconds &- $0.receivedAt)
            }
        case .conflict, .quarantined:
            break
        }
        changes.append(change)
    }

    /// Writes what became of those that were copied, within the transaction.
    func write(_ connection: PostgreSQLConnection) throws {
        guard !changes.isEmpty else {
            return
        }
        // A node of a store that nothing was copied into needs no right to note it.
        let copied = try connection.run(
            "SELECT 1 FROM skan.copy_quarantine WHERE target_id = ANY ($1::int8[]) LIMIT 1",
            [.integers(changes.map(\.id))])
        guard copied.count > 0 else {
            return
        }
        try connection.run(
            """
            INSERT INTO skan.copy_moved (
                store, source_id, postback_id, quarter, status, traffic, reason, recipient, count, delay)
            SELECT copied.store, copied.source_id, nullif(change.postback_id, 0), change.quarter, change.status,
                change.traffic, change.reason, change.recipient::skan.recipient, change.count,
                nullif(change.delay, -1)::int2
            FROM unnest($1::int8[], $2::int8[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int8[],
                    $9::int4[])
                AS change (target_id, postback_id, quarter, status, traffic, reason, recipient, count, delay)
            JOIN skan.copy_quarantine AS copied ON copied.target_id = change.target_id
            """,
            [
                .integers(changes.map(\.id)), .integers(changes.map { $0.postback ?? 0 }),
                .smallIntegers(changes.map { Int32(clamping: $0.quarter) }),
                .texts(changes.map(\.kind.status.rawValue)), .texts(changes.map { $0.kind.traffic?.rawValue ?? "" }),
                .texts(changes.map { $0.kind.reason?.rawValue ?? "" }), .texts(changes.map(\.kind.recipient.rawValue)),
                .integers(changes.map(\.count)),
                .smallIntegers(changes.map { Int32($0.delay?.rawValue ?? -1) }),
            ])
    }
}

extension MovedDelivery {
    /// What was made here of copied deliveries, by their ids in the source.
    static func all(
        _ connection: PostgreSQLConnection, of store: String, _ ids: ClosedRange<Int64>
    ) throws -> [Int64: MovedDelivery] {
        let sums = try connection.run(
            """
            SELECT source_id, status, reason, sum(count)::int8 FROM skan.copy_moved
            WHERE store = $1 AND source_id BETWEEN $2 AND $3 GROUP BY source_id, status, reason
            HAVING sum(count) <> 0
            """, [.text(store), .integer(ids.lowerBound), .integer(ids.upperBound)])
        var moved: [Int64: MovedDelivery] = [:]
        for row in 0..<sums.count {
            moved[try sums.integer(row, 0), default: MovedDelivery()].take(
                status: try sums.text(row, 1), reason: try sums.text(row, 2), count: try sums.integer(row, 3))
        }
        return moved
    }

    /// The copied deliveries that were recorded here as some postbacks: their ids in the source, by the postbacks'.
    static func origins(
        ofPostbacks ids: [Int64], _ connection: PostgreSQLConnection, in store: String
    ) throws -> [Int64: Int64] {
        guard !ids.isEmpty else {
            return [:]
        }
        let found = try connection.run(
            "SELECT postback_id, source_id FROM skan.copy_moved WHERE store = $1 AND postback_id = ANY ($2::int8[])",
            [.text(store), .integers(ids)])
        var origins: [Int64: Int64] = [:]
        for row in 0..<found.count {
            origins[try found.integer(row, 0)] = try found.integer(row, 1)
        }
        return origins
    }

    /// Takes what was made here of copied deliveries for copied, because the source has made something of them, too.
    ///
    /// - Parameters:
    ///   - ids: Their ids in the source.
    ///   - connection: Within a transaction.
    ///   - store: The source.
    ///   - change: What they are in the source, where one is still in the quarantine for another reason.
    /// - Throws: ``PostgreSQLFault``.
    static func takeMoves(
        of ids: [Int64], _ connection: PostgreSQLConnection, in store: String,
        changedTo change: QuarantinedDelivery? = nil
    ) throws {
        guard !ids.isEmpty else {
            return
        }
        let isConflict = change?.kind == .conflict
        // What was recorded here is in no count that is copied; in the source it became something else.
        try connection.run(
            """
            WITH taken AS (
                DELETE FROM skan.copy_moved WHERE store = $1 AND source_id = ANY ($2::int8[]) RETURNING *
            ), repeats AS (
                INSERT INTO skan.copy_repeat (store, quarter, delay, count)
                SELECT store, quarter, delay, count FROM taken WHERE delay IS NOT NULL
            )
            INSERT INTO skan.copy_delivery (store, quarter, status, traffic, reason, recipient, count, kept)
            SELECT store, quarter, CASE status WHEN 'recorded' THEN $3 ELSE status END,
                CASE WHEN status = 'recorded' AND NOT $4 THEN '' ELSE traffic END,
                CASE status WHEN 'recorded' THEN $5 ELSE reason END, recipient, count, count
            FROM taken WHERE status <> 'recorded' OR $6
            """,
            [
                .text(store), .integers(ids), .text(isConflict ? "conflict" : "quarantined"), .bool(isConflict),
                .text(isConflict ? "" : change?.reason ?? ""), .bool(change != nil),
            ])
    }
}
