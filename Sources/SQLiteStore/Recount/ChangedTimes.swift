import Attribution
import AttributionStore
import GRDB

/// Rows whose time of receipt damage moved to another quarter of an hour.
///
/// A row has no checksum, and its block of columns has one. In no block, or one whose times cannot be read, the counts
/// of deliveries and the rows before and after have to say the same against it. A change within a quarter of an hour is
/// not found: nothing else has the minute.
struct ChangedTimes {
    private struct Row {
        let id: Int64
        /// What it is counted as by its own time, and by the true one.
        let stored: LostRows.DeliveryKey
        let corrected: LostRows.DeliveryKey
    }

    private var rows: [Row] = []
    /// How many more there are than are looked at at once.
    private(set) var unread: Int64 = 0
    /// The quarters of an hour of rows and of their blocks where nothing tells which is right.
    private(set) var contradictedQuarters: Set<Int64> = []

    /// Takes a row that agrees with its block in everything but the quarter of an hour.
    mutating func add(_ id: Int64, _ stored: LostRows.DeliveryKey, inBlock quarter: Int64) {
        guard rows.count < Recount.mostLostRows else {
            unread += 1
            return
        }
        rows.append(Row(id: id, stored: stored, corrected: stored.moved(to: quarter)))
    }

    /// Says which they are, and counts those that can be repaired where they belong.
    ///
    /// - Parameters:
    ///   - recorded: How many rows there are by their own times.
    ///   - counts: The counts of deliveries.
    ///   - ids: The rows that are in no block, or in one whose times cannot be read.
    ///   - db: The store.
    /// - Returns: The differences.
    /// - Throws: SQLite's errors, except for damage.
    mutating func differences(
        _ recorded: inout [LostRows.DeliveryKey: Int64], _ counts: CountedDeliveries,
        withoutTimeInBlock ids: [ClosedRange<Int64>], _ db: Database
    ) throws -> [RecountDifference] {
        var differences: [RecountDifference] = []
        for row in rows {
            let isContradicted =
                counts.areWhole && counts.excess(of: row.stored, over: recorded) >= 0
                && counts.excess(of: row.corrected, over: recorded) <= 0
            if !isContradicted {
                recorded.move(row.stored, to: row.corrected)
            } else {
                contradictedQuarters.formUnion([row.stored.quarter, row.corrected.quarter])
            }
            differences.append(.receivedAt(row.id, quarter: row.corrected.quarter, isCertain: !isContradicted))
        }
        guard counts.areWhole else {
            return differences
        }
        let (outOfPlace, undecided) = try countedElsewhere(ids, recorded, counts, db)
        contradictedQuarters.formUnion(undecided.map(\.quarter))
        // Otherwise a count is wrong, too, and these may be imported rows.
        let decided = recorded.filter { !undecided.contains($0.key) }
        guard counts.uncounted(of: decided) == Int64(outOfPlace.count) else {
            return differences
        }
        for row in outOfPlace
        where counts.excess(of: row.stored, over: recorded) < 0 && counts.excess(of: row.corrected, over: recorded) > 0
        {
            recorded.move(row.stored, to: row.corrected)
            differences.append(.receivedAt(row.id, quarter: row.corrected.quarter, isCertain: true))
        }
        return differences
    }

    /// Rows missing from the count of their own quarter, while another possible quarter counts a delivery without a row.
    ///
    /// - Returns: Those whose time is not between those of the rows before and after, while that of just one such
    ///   delivery is; and, where others may be meant, the deliveries of both times: the counts may be right, or the
    ///   rows.
    private func countedElsewhere(
        _ ids: [ClosedRange<Int64>], _ recorded: [LostRows.DeliveryKey: Int64], _ counts: CountedDeliveries,
        _ db: Database
    ) throws -> (outOfPlace: [Row], undecided: Set<LostRows.DeliveryKey>) {
        let surplus = Dictionary(grouping: counts.surplus(over: recorded).keys) { $0.moved(to: 0) }
        guard !surplus.isEmpty else {
            return ([], [])
        }
        var rows: [Row] = []
        /// Where those may be counted whose own time is possible, too.
        var others: [LostRows.DeliveryKey: Set<LostRows.DeliveryKey>] = [:]
        let scan = LedgerScan(db: db, columns: "id, received_at, traffic, recipient", table: "postback")
        for ids in ids {
            try scan.each(ids) { row in
                guard let receivedAt = try? row.integer(1), let traffic = try? row.text(2),
                    let recipient = try? row.text(3)
                else {
                    return
                }
                let stored = LostRows.DeliveryKey(
                    quarter: receivedAt.quarterOfAnHour, traffic: traffic, recipient: recipient)
                guard counts.excess(of: stored, over: recorded) < 0 else {
                    return
                }
                let id = try row.integer(0)
                let nearest = try NearestRows("received_at", of: id, db)
                let (lower, upper) = (nearest.lower.quarterOfAnHour, nearest.upper.quarterOfAnHour)
                // Rows in another order were imported, and say nothing about those between them.
                let possible = lower <= upper ? lower...upper : .min ... .max
                let corrected = surplus[stored.moved(to: 0), default: []].filter { possible.contains($0.quarter) }
                // Before the first row and after the last, and where it is between its neighbours, it may be right.
                let isCertain = nearest.lower != .min && nearest.upper != .max && !possible.contains(stored.quarter)
                if isCertain, corrected.count == 1 {
                    rows.append(Row(id: id, stored: stored, corrected: corrected[0]))
                } else if !corrected.isEmpty {
                    others[stored, default: []].formUnion(corrected)
                }
            }
        }
        let certain = Dictionary(grouping: rows, by: \.stored).mapValues { Int64($0.count) }
        var undecided: Set<LostRows.DeliveryKey> = []
        for (stored, corrected) in others
        where certain[stored, default: 0] + counts.excess(of: stored, over: recorded) < 0 {
            undecided.formUnion(corrected.union([stored]))
        }
        // What is certain by itself is not where the same count may be another row's.
        var size = -1
        while size < undecided.count {
            size = undecided.count
            for row in rows where undecided.contains(row.stored) || undecided.contains(row.corrected) {
                undecided.formUnion([row.stored, row.corrected])
            }
        }
        return (rows.filter { !undecided.contains($0.stored) }, undecided)
    }
}

extension LostRows.DeliveryKey {
    /// The same in another quarter of an hour.
    fileprivate func moved(to quarter: Int64) -> Self {
        Self(quarter: quarter, traffic: traffic, recipient: recipient)
    }
}

extension [LostRows.DeliveryKey: Int64] {
    /// Counts one elsewhere.
    fileprivate mutating func move(_ key: Key, to other: Key) {
        self[key, default: 0] -= 1
        self[other, default: 0] += 1
    }
}
