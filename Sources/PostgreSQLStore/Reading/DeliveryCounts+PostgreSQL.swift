package import Attribution
import AttributionStore

extension PostgreSQLLedgerReader {
    /// The deliveries received in a time range; see ``AttributionStore/LedgerReading/deliveries(received:inBackground:)``.
    package func deliveries(received: Range<Int64>?, inBackground: Bool) async throws -> DeliveryCounts {
        try await read { try DeliveryCounts($0.connection, received: received) }
    }
}

extension DeliveryCounts {
    /// What became of the deliveries received in some time, in the snapshot at hand.
    ///
    /// - Parameters:
    ///   - connection: Within a transaction.
    ///   - received: When they were received, in Unix milliseconds, to the quarter of an hour; nil for ever.
    /// - Throws: ``PostgreSQLFault``.
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
