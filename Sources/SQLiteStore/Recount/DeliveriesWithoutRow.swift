import Attribution
import AttributionStore

/// Recorded deliveries that were counted and have no row.
///
/// Each belongs to a lost row, and rows have ids in the order of their deliveries, so the earliest is that of the
/// lowest id. Of those of one quarter of an hour it is not known which is whose, but all counts come out as they were.
struct DeliveriesWithoutRow {
    private struct Queue {
        var counts: [(quarter: Int64, recipient: Delivery.Recipient, count: Int64)] = []
        var first = 0

        mutating func next() -> (quarter: Int64, recipient: Delivery.Recipient)? {
            while first < counts.count, counts[first].count == 0 {
                first += 1
            }
            guard first < counts.count else {
                return nil
            }
            counts[first].count -= 1
            return (counts[first].quarter, counts[first].recipient)
        }
    }

    private var left: [Traffic: Queue]

    init(_ counts: [LostRows.DeliveryKey: Int64]) {
        left = [:]
        for (key, count) in counts where count > 0 {
            if let traffic = Traffic(rawValue: key.traffic), let recipient = Delivery.Recipient(rawValue: key.recipient)
            {
                left[traffic, default: Queue()].counts.append((key.quarter, recipient, count))
            }
        }
        for traffic in left.keys {
            left[traffic]?.counts.sort { ($0.quarter, $0.recipient.rawValue) < ($1.quarter, $1.recipient.rawValue) }
        }
    }

    /// Takes the earliest for a lost row; rows are to come in ascending order of their ids.
    ///
    /// - Parameters:
    ///   - id: The row.
    ///   - traffic: What it would be recorded as now; its network may have been ours, or not, when it came.
    ///   - keyName: The key that verifies it.
    /// - Returns: What is known of the row; nil if no delivery is left.
    mutating func take(_ id: Int64, _ traffic: Traffic, _ keyName: String) -> LostRow? {
        let candidates = [traffic] + Traffic.allCases.filter { $0 != traffic && $0.provenance == traffic.provenance }
        for traffic in candidates {
            if let (quarter, recipient) = left[traffic]?.next() {
                return LostRow(
                    id: id, receivedAtMilliseconds: quarter.startOfQuarterOfAnHour, recipient: recipient,
                    traffic: traffic, keyName: keyName, source: .count)
            }
        }
        return nil
    }
}
