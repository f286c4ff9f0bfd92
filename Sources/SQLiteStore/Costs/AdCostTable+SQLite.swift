import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// What is kept of signed ads and of spend; see ``AttributionStore/LedgerCopySource/costTable()``.
    package func costTable() async throws -> AdCostTable {
        try await read { db in
            // A store whose owner is of an earlier release has no such tables.
            try db.tableExists("spend") ? try AdCostTable(db) : AdCostTable()
        }
    }
}

extension SQLiteLedgerWriter {
    /// Takes over signed ads and spend; see ``AttributionStore/LedgerCopyTarget/copyCosts(_:of:)``.
    package func copyCosts(_ table: AdCostTable, of store: String) throws {
        try database.write { db in
            let earlier = try AdCostTable.sums(
                db,
                sql: """
                    SELECT network, app, campaign_id, source_identifier, day, count FROM copy_signed WHERE store = ?
                    """, [store])
            for (row, count) in AdCostTable.growth(of: table.signed, since: earlier) {
                let values = row.campaign.arguments(day: row.day) + [count]
                try db.cachedStatement(sql: Self.upsertSigned).execute(arguments: values)
                try db.cachedStatement(
                    sql: """
                        INSERT INTO copy_signed VALUES (?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT DO UPDATE SET count = count + excluded.count
                        """
                ).execute(arguments: [store] + values)
            }
            let counted = try SequenceRanges.counted(of: Set(table.sequences.keys), in: db)
            let union = counted.merging(table.sequences) { SequenceRanges($0.ranges + $1.ranges) }
            try SequenceChange(from: counted, to: union).write(to: db)
            for spend in table.spend {
                try spend.write(to: db)
            }
        }
    }
}

extension AdCostTable {
    fileprivate init(_ db: Database) throws {
        self.init()
        signed = try Self.sums(
            db, sql: "SELECT network, app, campaign_id, source_identifier, day, count FROM signed_impressions", [])
        let ranges = try GRDB.Row.fetchCursor(db, sql: "SELECT writer, first, last FROM signed_sequences")
        var byWriter: [Nonce: [ClosedRange<Int64>]] = [:]
        while let row = try ranges.next() {
            let (first, last) = (try row.integer(1), try row.integer(2))
            guard let writer = Nonce(try row.text(0)), first <= last else {
                throw DatabaseError.damagedColumn
            }
            byWriter[writer, default: []].append(first...last)
        }
        sequences = byWriter.mapValues { SequenceRanges($0) }
        let paid = try GRDB.Row.fetchCursor(
            db, sql: "SELECT network, app, campaign_id, source_identifier, day, currency, micros FROM spend")
        while let row = try paid.next() {
            guard let campaign = try row.campaign.spend, let currency = CurrencyCode(try row.text(5)) else {
                throw DatabaseError.damagedColumn
            }
            spend.append(
                Spend(
                    key: .init(day: CalendarDay(number: try row.integer(4)), campaign: campaign, currency: currency),
                    amount: Money(micros: try row.integer(6))))
        }
    }

    fileprivate static func sums(
        _ db: Database, sql: String, _ arguments: StatementArguments
    ) throws -> [Row: Int64] {
        let rows = try GRDB.Row.fetchCursor(db, sql: sql, arguments: arguments)
        var sums: [Row: Int64] = [:]
        while let row = try rows.next() {
            sums[Row(day: try row.integer(4), campaign: try row.campaign)] = try row.integer(5)
        }
        return sums
    }
}
