package import Attribution
import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// The deliveries received in a time range; see ``AttributionStore/LedgerReading/deliveries(received:inBackground:)``.
    package func deliveries(received: Range<Int64>?, inBackground: Bool) async throws -> DeliveryCounts {
        try await read(inBackground: inBackground) { try DeliveryCounts($0, received: received) }
    }
}

extension DeliveryCounts {
    /// Reads the counts of deliveries received in a time range.
    ///
    /// Damaged counts are left out, which sets ``areIncomplete``.
    ///
    /// - Parameters:
    ///   - db: The store, in a read transaction.
    ///   - received: The time of receipt in Unix milliseconds, extended to whole quarter hours; nil for all.
    /// - Throws: SQLite's errors, except for damage.
    init(_ db: Database, received: Range<Int64>?) throws {
        self.init()
        let (first, last) = received.map { ($0.quarters.lowerBound, $0.quarters.upperBound - 1) } ?? (.min, .max)
        let kinds: Void? = try RecreatableTables.deliveryCounts.read(db) {
            try Self.eachPart(of: "delivery", db, first, last) { try readKinds(db, $0) }
            try noteImplausible(
                db, "delivery", "NOT (count BETWEEN 0 AND :most AND kept BETWEEN 0 AND :most)", Self.part(first, last))
        }
        let repeats: Void? = try RecreatableTables.deliveryCounts.read(db) {
            try Self.eachPart(of: "repeat_delay", db, first, last) { try readRepeats(db, $0) }
            try noteImplausible(db, "repeat_delay", "NOT count BETWEEN 0 AND :most", Self.part(first, last))
        }
        let copies = try RecreatableTables.recipientCopies.read(db) {
            try Int64.fetchOne(
                db, sql: "SELECT COUNT(*) FROM recipient_copy WHERE received_at >= ? AND received_at < ?",
                arguments: [received?.lowerBound ?? .min, received?.upperBound ?? .max])
        }
        otherRecipients = copies.flatMap(\.self) ?? 0
        if kinds == nil || repeats == nil || copies == nil {
            areIncomplete = true
        }
    }

    /// The quarters that are grouped at once, ten days.
    private static let quartersAtOnce: Int64 = 1_024

    /// Reads the counts of a table a part of its quarters at a time, in which SQLite's sums of plausible counts are numbers;
    /// those of all quarters need not be, after damage.
    private static func eachPart(
        of table: String,
        _ db: Database,
        _ first: Int64,
        _ last: Int64,
        _ read: (StatementArguments) throws -> Void
    ) throws {
        let sql = "SELECT MIN(quarter) FROM \(table) WHERE quarter BETWEEN ? AND ?"
        var next = first
        while let start = try Int64.fetchOne(db, sql: sql, arguments: [next, last]) {
            let (end, isBeyond) = start.addingReportingOverflow(quartersAtOnce - 1)
            guard !isBeyond, end < last else {
                return try read(part(start, last))
            }
            try read(part(start, end))
            next = end + 1
        }
    }

    private static func part(_ first: Int64, _ last: Int64) -> StatementArguments {
        ["first": first, "last": last, "most": plausible.upperBound]
    }

    /// Whether a sum of counts, each of them plausible, is still a number.
    private static func hasRoom(for count: Int64, beside others: [Int64]) -> Bool {
        !others.reduce(0, +).addingReportingOverflow(count).overflow
    }

    private mutating func readKinds(_ db: Database, _ range: StatementArguments) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT status, traffic, reason, recipient, SUM(count), SUM(kept) FROM delivery
                WHERE quarter BETWEEN :first AND :last AND count BETWEEN 0 AND :most AND kept BETWEEN 0 AND :most
                GROUP BY status, traffic, reason, recipient
                """, arguments: range)
        while let row = try rows.next() {
            guard let status: Recording.Status = try? row.word(0), let recipient: Delivery.Recipient = try? row.word(3)
            else {
                areIncomplete = true
                continue
            }
            let kind = DeliveryCounts.Kind(
                status: status, traffic: Traffic(rawValue: try row.text(1)),
                reason: PostbackRejection.Code(rawValue: try row.text(2)), recipient: recipient)
            let (count, kept): (Int64, Int64) = (try row.integer(4), try row.integer(5))
            guard Self.hasRoom(for: count, beside: tallies.values.map(\.count)),
                Self.hasRoom(for: kept, beside: tallies.values.map(\.kept))
            else {
                areIncomplete = true
                continue
            }
            add(kind, count: count, kept: kept)
        }
    }

    private mutating func noteImplausible(
        _ db: Database,
        _ table: String,
        _ condition: String,
        _ range: StatementArguments
    ) throws {
        let exists = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE quarter BETWEEN :first AND :last AND \(condition))",
            arguments: range)
        if exists == true {
            areIncomplete = true
        }
    }

    private mutating func readRepeats(_ db: Database, _ range: StatementArguments) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT delay, SUM(count) FROM repeat_delay
                WHERE quarter BETWEEN :first AND :last AND count BETWEEN 0 AND :most GROUP BY delay
                """, arguments: range)
        while let row = try rows.next() {
            let count: Int64 = try row.integer(1)
            if let delay = RepeatDelay(rawValue: Int(try row.integer(0))),
                Self.hasRoom(for: count, beside: Array(repeats.values))
            {
                add(delay, count: count)
            } else {
                areIncomplete = true
            }
        }
    }
}
