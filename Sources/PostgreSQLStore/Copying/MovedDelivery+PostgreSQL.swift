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

    /// Carries out decisions on the notes of deliveries, with a few statements for all of them.
    ///
    /// - Parameters:
    ///   - decisions: The decisions, by the deliveries' ids in the source.
    ///   - connection: Within a transaction.
    ///   - store: The source.
    /// - Throws: ``PostgreSQLFault``.
    static func apply(
        _ decisions: [Int64: Decision], _ connection: PostgreSQLConnection, in store: String
    ) throws {
        var (taken, conflicts, deleted, evidence): ([Int64], [Int64], [Int64], [Int64]) = ([], [], [], [])
        var changes: [ReasonChange] = []
        for (id, decision) in decisions {
            switch decision {
            case .keep: break
            case .changeReason(let copied, let reason):
                changes.append(ReasonChange(id: id, copied: copied, reason: reason))
            case .take(isConflict: true): conflicts.append(id)
            case .take(isConflict: false): taken.append(id)
            case .end(let isTaken, let isEvidence):
                if isTaken { taken.append(id) } else { deleted.append(id) }
                if isEvidence { evidence.append(id) }
            }
        }
        try takeMoves(of: taken, connection, in: store)
        try takeMoves(of: conflicts, connection, in: store, isConflict: true)
        for (table, ids) in [("copy_moved", deleted), ("copy_quarantine", evidence)] where !ids.isEmpty {
            try connection.run(
                "DELETE FROM skan.\(table) WHERE store = $1 AND source_id = ANY ($2::int8[])",
                [.text(store), .integers(ids)])
        }
        try ReasonChange.write(changes, connection, in: store)
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
}

/// That the source keeps a delivery for another reason, which left the quarantine here.
private struct ReasonChange {
    /// The delivery's id in the source.
    let id: Int64
    /// What it was copied as.
    let copied: DeliveryTable.Row
    /// The reason in the source.
    let reason: String

    /// Takes changes over, within a transaction.
    static func write(_ changes: [ReasonChange], _ connection: PostgreSQLConnection, in store: String) throws {
        guard !changes.isEmpty else {
            return
        }
        var rows: [(Int64, DeliveryCounts.Kind, DeliveryCounts.Tally)] = []
        for change in changes {
            let (quarter, kind) = (change.copied.quarter, change.copied.kind)
            let changed = DeliveryCounts.Kind(
                status: kind.status, traffic: nil, reason: PostbackRejection.Code(rawValue: change.reason),
                recipient: kind.recipient)
            rows.append((quarter, kind, .init(count: -1, kept: -1)))
            rows.append((quarter, changed, .init(count: 1, kept: 1)))
        }
        try DeliverySums.append(rows, connection, copiedFrom: store)
        try connection.run(
            """
            UPDATE skan.copy_moved AS moved SET reason = change.after
            FROM unnest($2::int8[], $3::text[], $4::text[]) AS change (source_id, before, after)
            WHERE moved.store = $1 AND moved.source_id = change.source_id AND moved.status = 'quarantined'
                AND moved.reason = change.before
            """,
            [
                .text(store), .integers(changes.map(\.id)),
                .texts(changes.map { $0.copied.kind.reason?.rawValue ?? "" }), .texts(changes.map(\.reason)),
            ])
    }
}
