import Attribution
import AttributionStore
import GRDB

extension DeliveryTable {
    /// Reads the counts of a store.
    ///
    /// - Throws: SQLite's errors.
    init(_ db: Database) throws {
        self.init()
        let rows = try GRDB.Row.fetchCursor(db, sql: "SELECT \(Self.columns) FROM delivery")
        while let row = try rows.next() {
            isIncomplete = !addDeliveries(row) || isIncomplete
        }
        let delays = try GRDB.Row.fetchCursor(db, sql: "SELECT \(Self.repeatColumns) FROM repeat_delay")
        while let row = try delays.next() {
            isIncomplete = !addRepeats(row) || isIncomplete
        }
    }

    /// Reads what was added to the counts by copying.
    ///
    /// - Throws: SQLite's errors, also for damage.
    init(_ db: Database, copiedFrom store: String) throws {
        self.init()
        let rows = try GRDB.Row.fetchCursor(
            db, sql: "SELECT \(Self.columns) FROM copy_delivery WHERE store = ?", arguments: [store])
        while let row = try rows.next() {
            guard addDeliveries(row) else {
                throw DatabaseError.damagedColumn
            }
        }
        let delays = try GRDB.Row.fetchCursor(
            db, sql: "SELECT \(Self.repeatColumns) FROM copy_repeat WHERE store = ?", arguments: [store])
        while let row = try delays.next() {
            guard addRepeats(row) else {
                throw DatabaseError.damagedColumn
            }
        }
    }

    /// Adds to what was copied of a count.
    static let upsertCopied = """
        INSERT INTO copy_delivery VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count, kept = kept + excluded.kept
        """

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
    private static let plausible: ClosedRange<Int64> = -(1 << 48)...(1 << 48)
}
