import Attribution
import AttributionStore

extension CopiedQuarantine {
    /// Makes a part of the quarantine what it is in the store it comes from, whatever the budgets; within a transaction.
    ///
    /// - Returns: How many deliveries were added.
    func write(_ connection: PostgreSQLConnection) throws -> Int64 {
        // Locked against another copy.
        _ = try LedgerCopyProgress(connection, of: store, isLocking: true)
        let copied = try Self.copied(connection, store, ids)
        let moved = try MovedDelivery.all(connection, of: store, ids)
        var sums = DeliverySums()
        var added: [CopiedDelivery] = []
        var known: [Int64: CopiedDelivery] = [:]
        for delivery in deliveries {
            if let id = copied[delivery.origin.id] {
                // What was made of it here stays until the source has made something of it that is in the counts.
                if moved[delivery.origin.id]?.copied == nil {
                    known[id] = delivery
                }
            } else {
                sums.change(delivery.origin.kind, rows: 1, bytes: Int64(delivery.origin.body.count))
                added.append(delivery)
            }
        }
        try update(known, connection, &sums)
        try Self.insert(added, store, connection)
        try remove(gone(from: copied), connection, &sums)
        try sums.write(connection)
        return Int64(added.count)
    }

    /// What was copied before: ids of the source, and those of this store.
    private static func copied(
        _ connection: PostgreSQLConnection, _ store: String, _ ids: ClosedRange<Int64>
    ) throws -> [Int64: Int64] {
        let result = try connection.run(
            """
            SELECT source_id, target_id FROM skan.copy_quarantine WHERE store = $1 AND source_id BETWEEN $2 AND $3
            """, [.text(store), .integer(ids.lowerBound), .integer(ids.upperBound)])
        var copied: [Int64: Int64] = [:]
        for row in 0..<result.count {
            copied[try result.integer(row, 0)] = try result.integer(row, 1)
        }
        return copied
    }

    private static func insert(
        _ added: [CopiedDelivery], _ store: String, _ connection: PostgreSQLConnection
    ) throws {
        let ids = try NewQuarantineRow.insert(added.map { NewQuarantineRow($0) }, connection)
        try connection.run(
            """
            INSERT INTO skan.copy_quarantine (store, source_id, target_id)
            SELECT $1, source_id, target_id FROM unnest($2::int8[], $3::int8[]) AS copied (source_id, target_id)
            """, [.text(store), .integers(added.map(\.origin.id)), .integers(ids)])
    }

    /// Judged again, deliveries that stay may have other reasons.
    ///
    /// - Parameters:
    ///   - known: The deliveries by their ids here.
    ///   - connection: Within a transaction.
    ///   - sums: What the quarantine has more or less of.
    /// - Throws: ``PostgreSQLFault``.
    private func update(
        _ known: [Int64: CopiedDelivery], _ connection: PostgreSQLConnection, _ sums: inout DeliverySums
    ) throws {
        guard !known.isEmpty else {
            return
        }
        let origins = known.map { (id: $0, kind: $1.origin.kind.rawValue, reason: $1.origin.reason) }
        let before = try connection.run(
            """
            SELECT q.id, q.class, octet_length(q.body)::int8 FROM skan.quarantine AS q
            JOIN unnest($1::int8[], $2::text[], $3::text[]) AS origin (id, class, reason) ON origin.id = q.id
            WHERE q.class <> origin.class OR q.reason <> origin.reason ORDER BY q.id FOR UPDATE OF q
            """, [.integers(origins.map(\.id)), .texts(origins.map(\.kind)), .texts(origins.map(\.reason))])
        guard before.count > 0 else {
            return
        }
        // Judged again by a node meanwhile, one is left to the next copy.
        let moved = try MovedDelivery.all(connection, of: store, ids)
        for row in 0..<before.count {
            let id = try before.integer(row, 0)
            guard let delivery = known[id], moved[delivery.origin.id]?.copied == nil else {
                continue
            }
            let origin = delivery.origin
            try connection.run(
                """
                UPDATE skan.quarantine SET class = $2, reason = $3, detail = $4, postback_id = $5, content = $6
                WHERE id = $1
                """,
                [
                    .integer(id), .text(origin.kind.rawValue), .text(origin.reason), .text(delivery.detail),
                    .integer(delivery.conflict?.postback), .digest(delivery.conflict?.content),
                ])
            let bytes = try before.integer(row, 2)
            sums.change(try before.word(row, 1), rows: -1, bytes: -bytes)
            sums.change(origin.kind, rows: 1, bytes: bytes)
        }
    }

    private func remove(
        _ gone: [Int64: Int64], _ connection: PostgreSQLConnection, _ sums: inout DeliverySums
    ) throws {
        guard !gone.isEmpty else {
            return
        }
        // One that contradicts a postback by what was made of it here is evidence of what was recorded here.
        let removed = try connection.run(
            """
            DELETE FROM skan.quarantine AS q
            WHERE id = ANY ($1::int8[]) AND NOT (class = 'conflict' AND EXISTS (
                SELECT FROM skan.copy_quarantine AS copied JOIN skan.copy_moved AS moved USING (store, source_id)
                WHERE copied.target_id = q.id AND copied.store = $2))
            RETURNING class, octet_length(body)::int8
            """, [.integers(Array(gone.values)), .text(store)])
        for row in 0..<removed.count {
            sums.change(try removed.word(row, 0), rows: -1, bytes: -(try removed.integer(row, 1)))
        }
        try connection.run(
            "DELETE FROM skan.copy_quarantine WHERE store = $1 AND source_id = ANY ($2::int8[])",
            [.text(store), .integers(Array(gone.keys))])
    }
}
