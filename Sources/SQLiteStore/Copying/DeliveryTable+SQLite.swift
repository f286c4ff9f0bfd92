import Attribution
import AttributionStore
import GRDB

extension DeliveryTable {
    /// Reads the counts of a store, as far as they can be read.
    ///
    /// - Throws: SQLite's errors, except for damage.
    init(_ db: Database) throws {
        self.init()
        let areWhole = try QuarterScan(db: db, columns: Self.columns, table: "delivery").each { row in
            isIncomplete = !addDeliveries(row) || isIncomplete
        }
        let areRepeatsWhole = try QuarterScan(db: db, columns: Self.repeatColumns, table: "repeat_delay").each { row in
            isIncomplete = !addRepeats(row) || isIncomplete
        }
        isIncomplete = isIncomplete || !areWhole || !areRepeatsWhole
    }

    private static let columns = "quarter, status, traffic, reason, recipient, count, kept"
    private static let repeatColumns = "quarter, delay, count"

    /// Takes a row.
    ///
    /// - Returns: Whether it says something that can be.
    private mutating func addDeliveries(_ row: GRDB.Row) -> Bool {
        guard let quarter = try? row.integer(0), let status: Recording.Status = try? row.word(1),
            let traffic = try? row.text(2), let reason = try? row.text(3),
            let recipient: Delivery.Recipient = try? row.word(4), let count = try? row.integer(5),
            let kept = try? row.integer(6), Self.plausible.contains(count), Self.plausible.contains(kept)
        else {
            return false
        }
        let kind = DeliveryCounts.Kind(
            status: status, traffic: Traffic(rawValue: traffic), reason: PostbackRejection.Code(rawValue: reason),
            recipient: recipient)
        deliveries[Row(quarter: quarter, kind: kind)] = .init(count: count, kept: kept)
        return true
    }

    private mutating func addRepeats(_ row: GRDB.Row) -> Bool {
        guard let quarter = try? row.integer(0), let number = try? row.integer(1),
            let delay = RepeatDelay(rawValue: Int(number)), let count = try? row.integer(2),
            Self.plausible.contains(count)
        else {
            return false
        }
        repeats[RepeatRow(quarter: quarter, delay: delay)] = count
        return true
    }

    /// Differences may be negative.
    private static let plausible = -DeliveryCounts.plausible.upperBound...DeliveryCounts.plausible.upperBound

    /// Writes every row, into empty tables.
    func write(_ db: Database) throws {
        for (row, tally) in deliveries {
            try db.cachedStatement(sql: RecordingBatch.upsertDelivery).execute(arguments: [
                row.quarter, row.kind.status.rawValue, row.kind.traffic?.rawValue ?? "",
                row.kind.reason?.rawValue ?? "", row.kind.recipient.rawValue, tally.count, tally.kept,
            ])
        }
        for (row, count) in repeats {
            try db.cachedStatement(sql: RecordingBatch.upsertRepeat)
                .execute(arguments: [row.quarter, row.delay.rawValue, count])
        }
    }
}
