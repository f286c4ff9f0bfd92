public import Attribution
import Foundation
import GRDB

extension LedgerReader {
    /// Counts recorded postbacks: from the tallies where a family has all the dimensions and the range is of whole UTC
    /// days, and from the ledger for those not tallied yet; otherwise from the ledger alone, with the same result.
    public func tallies(_ query: TallyQuery) async throws -> [TallyRow] {
        try await read { db in
            let isWholeDays =
                query.received.map {
                    $0.lowerBound % TallyFamily.dayMilliseconds == 0 && $0.upperBound % TallyFamily.dayMilliseconds == 0
                } ?? true
            guard isWholeDays, let family = TallyFamily.answering(query) else {
                return Self.rows(try Self.talliesFromLedger(query, after: 0, db))
            }
            var sums = try Self.talliesFromLedger(query, after: try TallyFold(db).mark(family), db)
            try Self.add(query, from: family, db, to: &sums)
            return Self.rows(sums)
        }
    }

    private static func rows(_ sums: [[String]: Metrics]) -> [TallyRow] {
        sums.map { TallyRow(values: $0.key, metrics: $0.value) }
    }

    /// Adds a family's tallies to sums by the query's dimensions.
    private static func add(
        _ query: TallyQuery,
        from family: TallyFamily,
        _ db: Database,
        to sums: inout [[String]: Metrics]
    ) throws {
        let range = query.received.map {
            ($0.lowerBound / TallyFamily.dayMilliseconds)..<($0.upperBound / TallyFamily.dayMilliseconds)
        }
        let isShared = { TallyFamily.shared.contains($0) }
        var shared = query
        shared.filters.removeAll { !isShared($0.dimension) }
        let condition = Condition(shared, timeColumn: "day", range: range)
        let columns = TallyFamily.shared.map(\.column).joined(separator: ", ")
        let parts = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT \(columns), counts FROM tally WHERE \(condition.sql)"),
            arguments: condition.arguments)
        let width = TallyFamily.shared.count
        // The dimensions of a row are those of its app, then the family's own.
        let all = TallyFamily.shared + family.dimensions
        let places = query.dimensions.compactMap { all.firstIndex(of: $0) }
        let filters = query.filters.filter { !isShared($0.dimension) }
            .compactMap { filter in all.firstIndex(of: filter.dimension).map { (place: $0, value: filter.value) } }
        let isByApp = filters.isEmpty && places.allSatisfy { $0 < width }
        while let part = try parts.next() {
            let app: [String] = (0..<width).map { part[$0] }
            try part.withUnsafeData(atIndex: width) { data in
                try data?.withUnsafeBytes { bytes in
                    if isByApp {
                        var sum = Metrics()
                        try TallyRows.each(in: bytes) { row in
                            if row.family == family {
                                try sum.add(encoded: row.counts)
                            }
                        }
                        sums[places.map { app[$0] }, default: Metrics()] += sum
                        return
                    }
                    try TallyRows.each(in: bytes) { row in
                        guard row.family == family else {
                            return
                        }
                        let values = try app + TallyRows.values(row.key)
                        if filters.allSatisfy({ values[$0.place] == $0.value }) {
                            try sums[places.map { values[$0] }, default: Metrics()].add(encoded: row.counts)
                        }
                    }
                }
            }
        }
    }

    /// The slow way: groups the postbacks behind a mark by the dimensions and by all that decides what they count as.
    private static func talliesFromLedger(
        _ query: TallyQuery,
        after mark: Int64,
        _ db: Database
    ) throws -> [[String]: Metrics] {
        var condition = Condition(query, timeColumn: "received_at", range: query.received)
        condition.sql += " AND id > ?"
        condition.arguments += [mark]
        if let received = query.received {
            // Rows come nearly in the order of time; the quarters of an hour say which to look at.
            let rows = try Row.fetchOne(
                db, sql: "SELECT min(first_id), max(last_id) FROM postback_quarter WHERE quarter BETWEEN ? AND ?",
                arguments: [
                    received.lowerBound.flooredQuotient(by: RecordingBatch.quarterMilliseconds),
                    received.upperBound.flooredQuotient(by: RecordingBatch.quarterMilliseconds),
                ])
            condition.sql += " AND id BETWEEN ? AND ?"
            condition.arguments += [rows?[0] as Int64? ?? 0, rows?[1] as Int64? ?? 0]
        }
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: select(
                    query, TraitColumns.names + ["COUNT(*)"], from: "postback", condition, groups: TraitColumns.names)),
            arguments: condition.arguments)
        var sums: [[String]: Metrics] = [:]
        let width = query.dimensions.count
        while let row = try rows.next() {
            let traits = try TraitColumns.traits(row, at: width)
            sums[(0..<width).map { row[$0] }, default: Metrics()].count(
                traits, times: row[width + TraitColumns.names.count])
        }
        return sums
    }

    private static func select(
        _ query: TallyQuery,
        _ expressions: [String],
        from table: String,
        _ condition: Condition,
        groups: [String]
    ) -> String {
        let dimensions = query.dimensions.map(\.column)
        let grouping = (dimensions + groups).joined(separator: ", ")
        return "SELECT \((dimensions + expressions).joined(separator: ", ")) FROM \(table) WHERE \(condition.sql)"
            + (grouping.isEmpty ? "" : " GROUP BY \(grouping)")
    }

    /// The WHERE clause both ways share.
    private struct Condition {
        var sql = "traffic = ?"
        var arguments: StatementArguments

        init(_ query: TallyQuery, timeColumn: String, range: Range<Int64>?) {
            arguments = [query.traffic.rawValue]
            if let range {
                sql += " AND \(timeColumn) >= ? AND \(timeColumn) < ?"
                arguments += [range.lowerBound, range.upperBound]
            }
            for filter in query.filters {
                sql += " AND \(filter.dimension.column) = ?"
                arguments += [filter.value]
            }
        }
    }

    /// Counts deliveries.
    ///
    /// - Parameter received: When they were received, in Unix milliseconds, to the quarter of an hour; nil for ever.
    /// - Returns: The counts by kind.
    /// - Throws: ``StoreError``.
    public func deliveries(received: Range<Int64>?) async throws -> DeliveryCounts {
        try await read { db in
            let length = RecordingBatch.quarterMilliseconds
            let quarters: StatementArguments = [
                received?.lowerBound.flooredQuotient(by: length) ?? .min,
                received?.upperBound.flooredQuotient(by: length) ?? .max,
            ]
            var counts = DeliveryCounts()
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT status, traffic, reason, recipient, SUM(count), SUM(kept) FROM delivery
                    WHERE quarter >= ? AND quarter < ? GROUP BY status, traffic, reason, recipient
                    """,
                arguments: quarters)
            while let row = try rows.next() {
                guard let status = Recording.Status(rawValue: row[0]),
                    let recipient = Delivery.Recipient(rawValue: row[3])
                else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                }
                let kind = DeliveryCounts.Kind(
                    status: status, traffic: Traffic(rawValue: row[1]),
                    reason: PostbackRejection.Code(rawValue: row[2]),
                    recipient: recipient)
                counts.add(kind, count: row[4], kept: row[5])
            }
            let repeats = try Row.fetchCursor(
                db, sql: "SELECT delay, SUM(count) FROM repeat_delay WHERE quarter >= ? AND quarter < ? GROUP BY delay",
                arguments: quarters)
            while let row = try repeats.next() {
                if let delay = RepeatDelay(rawValue: row[0]) {
                    counts.add(delay, count: row[1])
                }
            }
            counts.otherRecipients =
                try Int64.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM recipient_copy WHERE received_at >= ? AND received_at < ?",
                    arguments: [received?.lowerBound ?? .min, received?.upperBound ?? .max]) ?? 0
            return counts
        }
    }

    /// Times, in Unix milliseconds, between which every recorded postback was received, to the quarter of an hour; nil
    /// when there is none.
    public func receiptBounds(_ traffic: Traffic) async throws -> ClosedRange<Int64>? {
        try await read { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT min(quarter), max(quarter) FROM delivery WHERE status = ? AND traffic = ?",
                arguments: [Recording.Status.recorded.rawValue, traffic.rawValue])
            guard let first = row?[0] as Int64?, let last = row?[1] as Int64? else {
                return nil
            }
            let length = RecordingBatch.quarterMilliseconds
            return (first * length)...(last * length + length - 1)
        }
    }
}
