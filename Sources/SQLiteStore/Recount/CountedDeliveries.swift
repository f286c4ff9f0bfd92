import Attribution
import AttributionStore
import GRDB

/// How many deliveries were counted as recorded, by quarter of an hour, traffic and recipient.
struct CountedDeliveries {
    /// What is wrong with the counts by themselves.
    private(set) var problems: [RecountDifference] = []
    /// Nil for a damaged page, which SQLite's check reports, or a missing table.
    private var counts: [LostRows.DeliveryKey: Int64]?
    private let isTableWhole: Bool

    /// Reads them.
    ///
    /// - Parameters:
    ///   - db: The store.
    ///   - isTableWhole: Whether their tables pass SQLite's check.
    /// - Throws: SQLite's errors, except for damage.
    init(_ db: Database, isTableWhole: Bool) throws {
        self.isTableWhole = isTableWhole
        guard try RecreatableTables.deliveryCounts.exist(db) else {
            return
        }
        // A page that cannot be read is SQLite's check's to report.
        problems += try Database.nilIfDamaged { try ImplausibleCount.deliveries(db) } ?? []
        problems += try Database.nilIfDamaged { try ImplausibleCount.repeats(db) } ?? []
        var damaged: [RecountDifference] = []
        counts = try Database.nilIfDamaged {
            var counts: [LostRows.DeliveryKey: Int64] = [:]
            let rows = try Row.fetchCursor(
                db, sql: "SELECT quarter, traffic, recipient, count FROM delivery WHERE status = 'recorded'")
            while let row = try rows.next() {
                guard let quarter = try? row.integer(0), let traffic = try? row.text(1),
                    let recipient = try? row.text(2), let count = try? row.integer(3)
                else {
                    damaged.append(.structure("a count of deliveries is damaged"))
                    continue
                }
                let key = LostRows.DeliveryKey(quarter: quarter, traffic: traffic, recipient: recipient)
                counts[key] = counts[key, default: 0] &+ count
            }
            return counts
        }
        problems += damaged
    }

    /// All of them.
    var sum: Int64 {
        (counts ?? [:]).values.reduce(0, &+)
    }

    /// Whether they cannot be read.
    var areDamaged: Bool {
        counts == nil
    }

    /// Whether their table passes SQLite's check and each is plausible: only then do they say something against a row.
    var areWhole: Bool {
        isTableWhole && !areDamaged && problems.isEmpty
    }

    /// Whether every count can be read, so that none is lost where the tables are made again.
    var areReadable: Bool {
        !areDamaged && problems.isEmpty
    }

    /// How many more of one kind were counted than there are rows; less than 0 if there are more rows.
    func excess(of key: LostRows.DeliveryKey, over rows: [LostRows.DeliveryKey: Int64]) -> Int64 {
        (counts?[key] ?? 0) &- rows[key, default: 0]
    }

    /// How many more were counted than there are rows.
    func surplus(over rows: [LostRows.DeliveryKey: Int64]) -> [LostRows.DeliveryKey: Int64] {
        var surplus: [LostRows.DeliveryKey: Int64] = [:]
        for (key, count) in counts ?? [:] where count > rows[key, default: 0] {
            surplus[key] = count - rows[key, default: 0]
        }
        return surplus
    }

    /// The quarters of an hour in which rows are counted as of another traffic or recipient than they say.
    ///
    /// - Parameter rows: How many rows there are.
    /// - Returns: Those where some counts are higher than there are rows and others lower; nothing tells which is right.
    func contradictedQuarters(by rows: [LostRows.DeliveryKey: Int64]) -> Set<Int64> {
        guard let counts else {
            return []
        }
        let keys = Set(counts.keys).union(rows.keys).filter { DeliveryCounts.plausible.contains(counts[$0] ?? 0) }
        let tooHigh = keys.filter { excess(of: $0, over: rows) > 0 }.map(\.quarter)
        return Set(tooHigh).intersection(keys.filter { excess(of: $0, over: rows) < 0 }.map(\.quarter))
    }

    /// How many rows there are that were not counted.
    func uncounted(of rows: [LostRows.DeliveryKey: Int64]) -> Int64 {
        rows.reduce(0) { $0 &+ max(0, $1.value &- (counts?[$1.key] ?? 0)) }
    }

    /// Where they are not those of the rows.
    ///
    /// - Parameters:
    ///   - rows: How many rows there are.
    ///   - missing: How many more are missing or damaged, and were counted.
    /// - Returns: The counts that differ, and what no row is left of; none for a damaged page.
    func differences(from rows: [LostRows.DeliveryKey: Int64], missing: Int64) -> [RecountDifference] {
        guard let counts else {
            return []
        }
        var differences = lost(rows, missing)
        for key in Set(counts.keys).union(rows.keys).sorted() {
            let (count, there) = (counts[key, default: 0], rows[key, default: 0])
            if missing > 0 ? count < there : count != there {
                differences.append(
                    .deliveries(
                        quarter: key.quarter, traffic: key.traffic, recipient: key.recipient, counted: count,
                        rows: there))
            }
        }
        return differences
    }

    /// What was counted and is not even missing between other rows, as it is where the last rows and bodies are lost.
    ///
    /// A count that is too high is no sign of it if another is too low.
    private func lost(_ rows: [LostRows.DeliveryKey: Int64], _ missing: Int64) -> [RecountDifference] {
        var excess: [String: Int64] = [:]
        var (surplus, deficit): (Int64, Int64) = (0, 0)
        for key in Set((counts ?? [:]).keys).union(rows.keys) {
            guard DeliveryCounts.plausible.contains(counts?[key] ?? 0) else {
                continue
            }
            let more = self.excess(of: key, over: rows)
            excess[key.traffic, default: 0] &+= more
            surplus &+= max(0, more)
            deficit &+= max(0, 0 &- more)
        }
        var differences: [RecountDifference] = []
        if min(surplus, deficit) > 0 {
            differences.append(.countedElsewhere(min(surplus, deficit)))
        }
        if missing == 0, excess.values.allSatisfy({ $0 >= 0 }) {
            for (traffic, count) in excess.sorted(by: { $0.key < $1.key }) where count > 0 {
                differences.append(.withoutRow(count, traffic: traffic))
            }
        } else if surplus &- deficit &- missing > 0 {
            // Nothing says which traffic they are of.
            differences.append(.withoutRow(surplus &- deficit &- missing, traffic: ""))
        }
        return differences
    }
}

extension ImplausibleCount {
    /// Those of the table of deliveries.
    fileprivate static func deliveries(_ db: Database) throws -> [RecountDifference] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT quarter, status, traffic, reason, recipient, name, value FROM (
                    SELECT *, 'count' AS name, count AS value FROM delivery
                    UNION ALL SELECT *, 'kept', kept FROM delivery
                ) WHERE value NOT BETWEEN 0 AND ? ORDER BY quarter, status, traffic, reason, recipient, name
                """, arguments: [DeliveryCounts.plausible.upperBound])
        return rows.map { row in
            difference(row, at: 5) {
                .delivery(
                    quarter: try row.integer(0), status: try row.text(1), traffic: try row.text(2),
                    reason: try row.text(3), recipient: try row.text(4))
            }
        }
    }

    /// Those of the table of repeats.
    fileprivate static func repeats(_ db: Database) throws -> [RecountDifference] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT quarter, delay, 'count', count FROM repeat_delay
                WHERE count NOT BETWEEN 0 AND ? ORDER BY quarter, delay
                """, arguments: [DeliveryCounts.plausible.upperBound])
        return rows.map { row in
            difference(row, at: 2) { .repeats(quarter: try row.integer(0), delay: try row.integer(1)) }
        }
    }

    /// The finding of a row with the column's name and value from some index on.
    private static func difference(_ row: Row, at index: Int, _ key: () throws -> Key) -> RecountDifference {
        do {
            let count = ImplausibleCount(
                try key(), column: try row.text(index), value: String(try row.integer(index + 1)))
            return .implausibleCount(count)
        } catch {
            return .structure("a count of deliveries is damaged")
        }
    }
}
