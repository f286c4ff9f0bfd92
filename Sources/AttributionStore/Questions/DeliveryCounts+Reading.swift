import Attribution
import GRDB

extension DeliveryCounts {
    /// Counts that can be; others are damage, and sums of them would overflow.
    static let plausible: ClosedRange<Int64> = 0...(1 << 48)

    /// What became of the deliveries received in some time, in the snapshot at hand.
    ///
    /// - Parameters:
    ///   - db: The store.
    ///   - received: When they were received, in Unix milliseconds, to the quarter of an hour; nil for ever.
    /// - Throws: What SQLite reports.
    init(_ db: Database, received: Range<Int64>?) throws {
        self.init()
        let range = LedgerQuestion(received: received).quarters
        let quarters: StatementArguments = [range?.lowerBound ?? .min, range?.upperBound ?? .max]
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT status, traffic, reason, recipient, SUM(count), SUM(kept) FROM delivery
                WHERE quarter >= ? AND quarter < ? GROUP BY status, traffic, reason, recipient
                """,
            arguments: quarters)
        while let row = try rows.next() {
            let (count, kept) = (try row.integer(4), try row.integer(5))
            guard Self.plausible.contains(count), Self.plausible.contains(kept) else {
                throw DatabaseError.damagedColumn
            }
            let kind = DeliveryCounts.Kind(
                status: try row.word(0), traffic: Traffic(rawValue: try row.text(1)),
                reason: PostbackRejection.Code(rawValue: try row.text(2)), recipient: try row.word(3))
            add(kind, count: count, kept: kept)
        }
        let repeats = try Row.fetchCursor(
            db, sql: "SELECT delay, SUM(count) FROM repeat_delay WHERE quarter >= ? AND quarter < ? GROUP BY delay",
            arguments: quarters)
        while let row = try repeats.next() {
            let count = try row.integer(1)
            if let delay = RepeatDelay(rawValue: Int(try row.integer(0))), Self.plausible.contains(count) {
                add(delay, count: count)
            }
        }
        otherRecipients =
            try Int64.fetchOne(
                db, sql: "SELECT COUNT(*) FROM recipient_copy WHERE received_at >= ? AND received_at < ?",
                arguments: [received?.lowerBound ?? .min, received?.upperBound ?? .max]) ?? 0
    }
}
