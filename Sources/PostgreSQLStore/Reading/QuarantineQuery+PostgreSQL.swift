import AttributionStore

extension QuarantineQuery {
    /// The deliveries asked for.
    ///
    /// - Parameters:
    ///   - connection: Within a transaction.
    ///   - isLocking: Whether they are locked for it, and those that another transaction has locked left out.
    /// - Returns: The deliveries, in the order of their ids.
    /// - Throws: ``PostgreSQLFault``.
    func deliveries(_ connection: PostgreSQLConnection, isLocking: Bool = false) throws -> [QuarantinedDelivery] {
        let result = try connection.run(
            """
            SELECT id, class, received_at, recipient::text, client, reason, detail, postback_id, body
            FROM skan.quarantine
            WHERE id > $1 AND ($2::text IS NULL OR class = $2) AND ($3::text IS NULL OR reason = $3)
                AND ($4::int8 IS NULL OR id = $4) AND ($5::int8 IS NULL OR received_at < $5)
            ORDER BY id LIMIT $6
            """ + (isLocking ? " FOR UPDATE SKIP LOCKED" : ""),
            [
                .integer(after), .text(kind?.rawValue), .text(reason), .integer(id), .integer(before),
                .integer(Int64(limit)),
            ])
        return try (0..<result.count).map { row in
            QuarantinedDelivery(
                id: try result.integer(row, 0), kind: try result.word(row, 1),
                receivedAtMilliseconds: try result.integer(row, 2), recipient: try result.word(row, 3),
                client: try result.text(row, 4), reason: try result.text(row, 5), detail: try result.text(row, 6),
                postbackID: try result.optional(row, 7), body: try result.bytes(row, 8))
        }
    }
}
