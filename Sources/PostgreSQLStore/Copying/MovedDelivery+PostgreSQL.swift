import Attribution
import AttributionStore

extension MovedDelivery {
    /// What was made here of copied deliveries, by their ids in the source.
    static func all(
        _ connection: PostgreSQLConnection, of store: String, _ ids: ClosedRange<Int64> = .min ... .max
    ) throws -> [Int64: MovedDelivery] {
        let sums = try connection.run(
            """
            SELECT source_id, quarter, status, traffic, reason, recipient::text, sum(count)::int8, max(postback_id),
                max(delay)
            FROM skan.copy_moved WHERE store = $1 AND source_id BETWEEN $2 AND $3
            GROUP BY source_id, quarter, status, traffic, reason, recipient
            """, [.text(store), .integer(ids.lowerBound), .integer(ids.upperBound)])
        var moved: [Int64: MovedDelivery] = [:]
        for row in 0..<sums.count {
            let kind = DeliveryCounts.Kind(
                status: try sums.word(row, 2), traffic: Traffic(rawValue: try sums.text(row, 3)),
                reason: PostbackRejection.Code(rawValue: try sums.text(row, 4)), recipient: try sums.word(row, 5))
            let sum = MoveNote(
                DeliveryTable.Row(quarter: try sums.integer(row, 1), kind: kind), count: try sums.integer(row, 6),
                postback: try sums.isNull(row, 7) ? nil : sums.integer(row, 7),
                delay: try sums.isNull(row, 8) ? nil : RepeatDelay(rawValue: Int(sums.integer(row, 8))))
            moved[try sums.integer(row, 0), default: MovedDelivery()].take(sum)
        }
        return moved
    }

    /// Carries out a decision on the notes of a delivery.
    ///
    /// - Parameters:
    ///   - decision: The decision.
    ///   - id: The delivery's id in the source.
    ///   - connection: Within a transaction.
    ///   - store: The source.
    /// - Throws: ``PostgreSQLFault``.
    func apply(_ decision: Decision, to id: Int64, _ connection: PostgreSQLConnection, in store: String) throws {
        switch decision {
        case .keep: break
        case .changeReason(let copied, let reason):
            try Self.changeReason(copied, to: reason, of: id, connection, in: store)
        case .take(let isConflict):
            try Self.takeMoves(of: [id], connection, in: store, isConflict: isConflict)
        case .end(let isTaken):
            if isTaken {
                try Self.takeMoves(of: [id], connection, in: store)
            } else {
                try connection.run(
                    "DELETE FROM skan.copy_moved WHERE store = $1 AND source_id = $2", [.text(store), .integer(id)])
            }
            if isConflict {
                // Then the copy of the quarantine, which follows, does not know it any more and keeps it.
                try connection.run(
                    "DELETE FROM skan.copy_quarantine WHERE store = $1 AND source_id = $2",
                    [.text(store), .integer(id)])
            }
        }
    }

    /// The copied deliveries that were recorded here as some postbacks: their ids in the source, by the postbacks'.
    static func origins(
        ofPostbacks ids: [Int64], _ connection: PostgreSQLConnection, in store: String
    ) throws -> [Int64: Int64] {
        guard !ids.isEmpty else {
            return [:]
        }
        let found = try connection.run(
            """
            SELECT postback_id, source_id FROM skan.copy_moved
            WHERE store = $1 AND postback_id = ANY ($2::int8[]) AND status = 'recorded'
            """, [.text(store), .integers(ids)])
        var origins: [Int64: Int64] = [:]
        for row in 0..<found.count {
            origins[try found.integer(row, 0)] = try found.integer(row, 1)
        }
        return origins
    }

    /// That the source recorded another delivery of a postback, so that the copied one is a repeat there.
    struct Repeat {
        /// The postback here.
        let postback: Int64
        /// What the source counts the repeat as.
        let traffic: Traffic
        /// How long after the delivery that the source recorded the copied one came.
        let delay: RepeatDelay
    }

    /// Notes repeats.
    static func note(_ repeats: [Repeat], _ connection: PostgreSQLConnection, in store: String) throws {
        guard !repeats.isEmpty else {
            return
        }
        try connection.run(
            """
            UPDATE skan.copy_moved AS moved SET status = 'duplicate', traffic = change.traffic, delay = change.delay::int2
            FROM unnest($2::int8[], $3::text[], $4::int4[]) AS change (postback_id, traffic, delay)
            WHERE moved.store = $1 AND moved.postback_id = change.postback_id AND moved.status = 'recorded'
            """,
            [
                .text(store), .integers(repeats.map(\.postback)), .texts(repeats.map(\.traffic.rawValue)),
                .smallIntegers(repeats.map { Int32($0.delay.rawValue) }),
            ])
    }

    /// Takes what was made here of copied deliveries for copied, because the source has made something of them, too.
    ///
    /// - Parameters:
    ///   - ids: Their ids in the source.
    ///   - connection: Within a transaction.
    ///   - store: The source.
    ///   - isConflict: Whether they contradict a postback in the source.
    /// - Throws: ``PostgreSQLFault``.
    static func takeMoves(
        of ids: [Int64], _ connection: PostgreSQLConnection, in store: String, isConflict: Bool = false
    ) throws {
        guard !ids.isEmpty else {
            return
        }
        // What was recorded here is in no count that is copied, unless the source counts it as a conflict.
        try connection.run(
            """
            WITH taken AS (
                DELETE FROM skan.copy_moved WHERE store = $1 AND source_id = ANY ($2::int8[]) RETURNING *
            ), repeats AS (
                INSERT INTO skan.copy_repeat (store, quarter, delay, count)
                SELECT store, quarter, delay, count FROM taken WHERE delay IS NOT NULL
            )
            INSERT INTO skan.copy_delivery (store, quarter, status, traffic, reason, recipient, count, kept)
            SELECT store, quarter, CASE status WHEN 'recorded' THEN 'conflict' ELSE status END, traffic, reason,
                recipient, count, count
            FROM taken WHERE status <> 'recorded' OR $3
            """, [.text(store), .integers(ids), .bool(isConflict)])
    }

    /// Takes over that the source keeps a delivery for another reason, which left the quarantine here.
    ///
    /// - Parameters:
    ///   - copied: What it was copied as.
    ///   - reason: The reason in the source.
    ///   - id: Its id in the source.
    ///   - connection: Within a transaction.
    ///   - store: The source.
    /// - Throws: ``PostgreSQLFault``.
    private static func changeReason(
        _ copied: DeliveryTable.Row, to reason: String, of id: Int64, _ connection: PostgreSQLConnection,
        in store: String
    ) throws {
        let changed = DeliveryCounts.Kind(
            status: copied.kind.status, traffic: nil, reason: PostbackRejection.Code(rawValue: reason),
            recipient: copied.kind.recipient)
        try DeliverySums.append(
            [
                (copied.quarter, copied.kind, .init(count: -1, kept: -1)),
                (copied.quarter, changed, .init(count: 1, kept: 1)),
            ], connection, copiedFrom: store)
        try connection.run(
            """
            UPDATE skan.copy_moved SET reason = $4
            WHERE store = $1 AND source_id = $2 AND status = 'quarantined' AND reason = $3
            """,
            [.text(store), .integer(id), .text(copied.kind.reason?.rawValue ?? ""), .text(reason)])
    }
}
