import Attribution
import AttributionStore

/// What a transaction adds to the counts of deliveries, appended in one statement for each table.
struct DeliverySums {
    /// By quarter of an hour.
    private var sums: [Int64: DeliveryCounts] = [:]
    private var copies: [Copy] = []

    private struct Copy: Hashable {
        let id: Int64
        let recipient: Delivery.Recipient
        let receivedAt: Int64
    }

    /// Counts a delivery, or with negative numbers takes one out.
    mutating func count(_ kind: DeliveryCounts.Kind, _ count: Int64 = 1, kept: Int64, at delivery: Delivery) {
        sums[delivery.receivedAtMilliseconds.quarterOfAnHour, default: DeliveryCounts()].add(
            kind, count: count, kept: kept)
    }

    /// Counts a repeat of a postback that was received before.
    mutating func countRepeat(of id: Int64, receivedAt: Int64, by recipient: Delivery.Recipient, _ delivery: Delivery) {
        sums[delivery.receivedAtMilliseconds.quarterOfAnHour, default: DeliveryCounts()].add(
            RepeatDelay(milliseconds: delivery.receivedAtMilliseconds &- receivedAt))
        if recipient != delivery.recipient {
            copies.append(
                Copy(id: id, recipient: delivery.recipient, receivedAt: delivery.receivedAtMilliseconds))
        }
    }

    /// Writes everything, within the transaction.
    func write(_ connection: PostgreSQLConnection) throws {
        try writeDeliveries(connection)
        try writeRepeats(connection)
        if !copies.isEmpty {
            let copies = copies.sorted { ($0.id, $0.recipient.rawValue) < ($1.id, $1.recipient.rawValue) }
            try connection.run(
                """
                INSERT INTO skan.recipient_copy (id, recipient, received_at)
                SELECT id, recipient::skan.recipient, received_at
                FROM unnest($1::int8[], $2::text[], $3::int8[]) AS copy (id, recipient, received_at)
                ON CONFLICT DO NOTHING
                """,
                [
                    .integers(copies.map(\.id)), .texts(copies.map(\.recipient.rawValue)),
                    .integers(copies.map(\.receivedAt)),
                ])
        }
    }

    private func writeDeliveries(_ connection: PostgreSQLConnection) throws {
        let rows = sums.flatMap { quarter, counts in
            counts.tallies.filter { $0.value.count != 0 || $0.value.kept != 0 }.map { (quarter, $0.key, $0.value) }
        }
        guard !rows.isEmpty else {
            return
        }
        try connection.run(
            """
            INSERT INTO skan.delivery (quarter, status, traffic, reason, recipient, count, kept)
            SELECT quarter, status, traffic, reason, recipient::skan.recipient, count, kept
            FROM unnest($1::int4[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int8[], $7::int8[])
                AS sum (quarter, status, traffic, reason, recipient, count, kept)
            """,
            [
                .smallIntegers(rows.map { Int32(clamping: $0.0) }), .texts(rows.map(\.1.status.rawValue)),
                .texts(rows.map { $0.1.traffic?.rawValue ?? "" }), .texts(rows.map { $0.1.reason?.rawValue ?? "" }),
                .texts(rows.map(\.1.recipient.rawValue)), .integers(rows.map(\.2.count)),
                .integers(rows.map(\.2.kept)),
            ])
    }

    private func writeRepeats(_ connection: PostgreSQLConnection) throws {
        let rows = sums.flatMap { quarter, counts in counts.repeats.map { (quarter, $0.key, $0.value) } }
        guard !rows.isEmpty else {
            return
        }
        try connection.run(
            """
            INSERT INTO skan.repeat_delay (quarter, delay, count)
            SELECT quarter, delay::int2, count FROM unnest($1::int4[], $2::int4[], $3::int8[])
                AS sum (quarter, delay, count)
            """,
            [
                .smallIntegers(rows.map { Int32(clamping: $0.0) }), .smallIntegers(rows.map { Int32($0.1.rawValue) }),
                .integers(rows.map(\.2)),
            ])
    }
}
