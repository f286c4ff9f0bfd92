import Attribution
import AttributionStore

/// What a transaction makes of deliveries that may have been copied into the quarantine.
struct CopiedMoves {
    private var changes: [(id: Int64, note: MoveNote)] = []

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
        let first = first.map { ($0.id, $0.receivedAt) }
        changes += MoveNote.notes(from: before, to: after, first: first, delivery).map { (id, $0) }
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
        let kinds = changes.map(\.note.row.kind)
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
                .integers(changes.map(\.id)), .integers(changes.map { $0.note.postback ?? 0 }),
                .smallIntegers(changes.map { Int32(clamping: $0.note.row.quarter) }),
                .texts(kinds.map(\.status.rawValue)), .texts(kinds.map { $0.traffic?.rawValue ?? "" }),
                .texts(kinds.map { $0.reason?.rawValue ?? "" }), .texts(kinds.map(\.recipient.rawValue)),
                .integers(changes.map(\.note.count)),
                .smallIntegers(changes.map { Int32($0.note.delay?.rawValue ?? -1) }),
            ])
    }
}
