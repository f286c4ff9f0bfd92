import Attribution
import AttributionStore
import GRDB

/// Recorded deliveries that were counted and have no row.
///
/// Each belongs to a lost row, and rows have ids in the order in which they came, unless postbacks were imported. So one
/// is that of a row only if no other is possible between the times of the nearest rows, and if there is one for every
/// row.
struct DeliveriesWithoutRow {
    /// A lost row of which nothing else says when it came.
    struct Row {
        let id: Int64
        /// Nil if its body is lost or does not verify.
        let provenance: Provenance?
    }

    /// The quarters of an hour in which the deliveries of some rows are looked for.
    private struct Gap: Hashable {
        let first: Int64
        let last: Int64
        let provenance: Provenance?

        init(_ row: Row, _ db: Database) throws {
            let nearest = try NearestRows("received_at", of: row.id, db)
            first = nearest.lower.quarterOfAnHour
            last = nearest.upper.quarterOfAnHour
            provenance = row.provenance
        }

        func contains(_ delivery: LostRows.DeliveryKey) -> Bool {
            guard let traffic = Traffic(rawValue: delivery.traffic),
                Delivery.Recipient(rawValue: delivery.recipient) != nil
            else {
                return false
            }
            return first <= delivery.quarter && delivery.quarter <= last
                && (provenance == nil || traffic.provenance == provenance)
        }
    }

    /// Those that no other can be in place of, by the ids of their rows.
    private var certain: [Int64: LostRows.DeliveryKey] = [:]

    /// Finds out which are certain.
    ///
    /// - Parameters:
    ///   - counts: How many there are.
    ///   - rows: All rows that they can belong to.
    ///   - db: The store.
    /// - Throws: SQLite's errors, except for damage.
    init(_ counts: [LostRows.DeliveryKey: Int64], of rows: [Row], _ db: Database) throws {
        let counts = counts.filter { $0.value > 0 }
        // Otherwise a count is wrong, too.
        guard counts.values.reduce(0, &+) == Int64(rows.count) else {
            return
        }
        var possible: [Gap: [LostRows.DeliveryKey]] = [:]
        var found: [Int64: LostRows.DeliveryKey] = [:]
        var left = counts
        for row in rows {
            let gap = try Gap(row, db)
            let deliveries = possible[gap] ?? Array(counts.keys.lazy.filter { gap.contains($0) }.prefix(2))
            possible[gap] = deliveries
            guard let delivery = deliveries.first else {
                // These rows did not come in the order of their ids.
                return
            }
            guard deliveries.count == 1 else {
                continue
            }
            left[delivery, default: 0] -= 1
            guard left[delivery, default: 0] >= 0 else {
                return
            }
            found[row.id] = delivery
        }
        certain = found
    }

    /// What is known of a row; nil if several deliveries can be its own, or none.
    func row(_ id: Int64, _ keyName: String) -> LostRow? {
        guard let delivery = certain[id], let traffic = Traffic(rawValue: delivery.traffic),
            let recipient = Delivery.Recipient(rawValue: delivery.recipient)
        else {
            return nil
        }
        return LostRow(
            id: id, receivedAtMilliseconds: delivery.quarter.startOfQuarterOfAnHour, recipient: recipient,
            traffic: traffic, keyName: keyName, source: .count)
    }
}
