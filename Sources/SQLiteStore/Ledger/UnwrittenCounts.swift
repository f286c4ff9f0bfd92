import Attribution
import AttributionStore
import GRDB

/// What only the report of deliveries counts, and what recording can do without: counts of deliveries, and copies for
/// other recipients.
struct UnwrittenCounts {
    /// By quarter of an hour.
    private var sums: [Int64: DeliveryCounts] = [:]
    private var copies: [RecipientCopy] = []

    /// Takes counts by quarter of an hour, and copies in the order received.
    init(_ sums: [Int64: DeliveryCounts] = [:], _ copies: [RecipientCopy] = []) {
        self.sums = sums
        self.copies = copies
    }

    var isEmpty: Bool {
        sums.isEmpty && copies.isEmpty
    }

    /// Adds others.
    static func += (lhs: inout Self, rhs: Self) {
        for (quarter, counts) in rhs.sums {
            for (kind, tally) in counts.tallies {
                lhs.sums[quarter, default: DeliveryCounts()].add(kind, count: tally.count, kept: tally.kept)
            }
            for (delay, count) in counts.repeats {
                lhs.sums[quarter, default: DeliveryCounts()].add(delay, count: count)
            }
        }
        lhs.copies += rhs.copies
    }

    /// Each of them by itself, for each may be on a damaged page.
    var singles: [UnwrittenCounts] {
        let counts = sums.flatMap { quarter, counts in
            counts.tallies.map { kind, tally in
                var single = DeliveryCounts()
                single.add(kind, count: tally.count, kept: tally.kept)
                return UnwrittenCounts([quarter: single])
            }
                + counts.repeats.map { delay, count in
                    var single = DeliveryCounts()
                    single.add(delay, count: count)
                    return UnwrittenCounts([quarter: single])
                }
        }
        return counts + copies.map { UnwrittenCounts([:], [$0]) }
    }

    /// Writes all of them.
    func write(_ db: Database, _ arena: HotStatement.Arena) throws {
        if !sums.isEmpty {
            try RecordingBatch.write(sums, db, arena)
        }
        for copy in copies {
            try copy.write(db)
        }
    }
}

/// The first copy of a postback that came for another recipient than the recorded one.
struct RecipientCopy {
    /// The postback's id.
    let id: Int64
    let recipient: Delivery.Recipient
    let receivedAtMilliseconds: Int64

    /// Writes the copy, unless the recipient has an earlier one.
    func write(_ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO recipient_copy (id, recipient, received_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        ).execute(arguments: [id, recipient.rawValue, receivedAtMilliseconds])
    }
}
