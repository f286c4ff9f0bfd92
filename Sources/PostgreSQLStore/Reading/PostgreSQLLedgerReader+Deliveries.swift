package import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// The deliveries received in a time range; see ``AttributionStore/LedgerReading/deliveries(received:inBackground:)``.
    package func deliveries(received: Range<Int64>?, inBackground: Bool) async throws -> DeliveryCounts {
        try await read { try DeliveryCounts($0.connection, received: received) }
    }

    /// Deliveries in the quarantine; see ``AttributionStore/LedgerReading/quarantine(_:)``.
    package func quarantine(_ query: QuarantineQuery) async throws -> [QuarantinedDelivery] {
        try await read { try query.deliveries($0.connection) }
    }

    /// How much there is of each class.
    package func quarantineTotals() async throws -> [QuarantineTotal] {
        try await read { snapshot in
            let result = try snapshot.connection.run(
                """
                SELECT class, sum(count)::int8, sum(bytes)::int8 FROM skan.quarantine_change
                GROUP BY class ORDER BY class
                """)
            return try (0..<result.count).map { row in
                QuarantineTotal(
                    kind: try result.word(row, 0), count: try result.integer(row, 1), bytes: try result.integer(row, 2))
            }
        }
    }
}

extension DeliveryCounts {
    /// What became of the deliveries received in some time, in the snapshot at hand.
    init(_ connection: PostgreSQLConnection, received: Range<Int64>?) throws {
        self.init()
        let quarters = received?.quarters
        let range: [PostgreSQLParameter] = [.integer(quarters?.lowerBound), .integer(quarters?.upperBound)]
        let within = "($1::int8 IS NULL OR quarter >= $1) AND ($2::int8 IS NULL OR quarter < $2)"
        let kinds = try connection.run(
            """
            SELECT status, traffic, reason, recipient::text, sum(count)::int8, sum(kept)::int8 FROM skan.delivery
            WHERE \(within) GROUP BY status, traffic, reason, recipient
            """, range)
        for row in 0..<kinds.count {
            let kind = Kind(
                status: try kinds.word(row, 0), traffic: Traffic(rawValue: try kinds.text(row, 1)),
                reason: PostbackRejection.Code(rawValue: try kinds.text(row, 2)), recipient: try kinds.word(row, 3))
            add(kind, count: try kinds.integer(row, 4), kept: try kinds.integer(row, 5))
        }
        let delays = try connection.run(
            "SELECT delay, sum(count)::int8 FROM skan.repeat_delay WHERE \(within) GROUP BY delay", range)
        for row in 0..<delays.count {
            guard let delay = RepeatDelay(rawValue: Int(try delays.integer(row, 0))) else {
                throw DamagedValue(column: 0)
            }
            add(delay, count: try delays.integer(row, 1))
        }
        otherRecipients = try connection.run(
            """
            SELECT count(*) FROM skan.recipient_copy
            WHERE ($1::int8 IS NULL OR received_at >= $1) AND ($2::int8 IS NULL OR received_at < $2)
            """, [.integer(received?.lowerBound), .integer(received?.upperBound)]
        ).integer(0, 0)
    }
}

extension QuarantineQuery {
    /// The deliveries asked for.
    ///
    /// - Returns: The deliveries, in the order of their ids.
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
