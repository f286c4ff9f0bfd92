import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// What is kept of signed ads and of spend; see ``AttributionStore/LedgerCopySource/costTable()``.
    package func costTable() async throws -> AdCostTable {
        try await read { try AdCostTable($0.connection) }
    }
}

extension PostgreSQLCopyTarget {
    /// Takes over signed ads and spend; see ``AttributionStore/LedgerCopyTarget/copyCosts(_:of:)``.
    package func copyCosts(_ table: AdCostTable, of store: String) throws {
        try transaction { connection in
            try connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgreSQLLedgerWriter.costLock)])
            let earlier = try AdCostTable.sums(
                try connection.run(
                    """
                    SELECT network, app, campaign_id, source_identifier, day, count FROM skan.copy_signed
                    WHERE store = $1
                    """, [.text(store)]))
            let growth = Array(AdCostTable.growth(of: table.signed, since: earlier))
            let parameters =
                [.integers(growth.map(\.key.day))] + growth.map(\.key.campaign).parameters
                + [.integers(growth.map(\.value))]
            try connection.run(PostgreSQLLedgerWriter.upsertSigned, parameters)
            try connection.run(
                """
                INSERT INTO skan.copy_signed AS stored
                    (store, day, network, app, campaign_id, source_identifier, count)
                SELECT $7, * FROM unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::int8[])
                ON CONFLICT (store, day, network, app, campaign_id, source_identifier)
                DO UPDATE SET count = stored.count + excluded.count
                """, parameters + [.text(store)])
            let counted = try SequenceRanges.counted(of: Set(table.sequences.keys), connection)
            let union = counted.merging(table.sequences) { SequenceRanges($0.ranges + $1.ranges) }
            try SequenceChange(from: counted, to: union).write(connection)
            try table.spend.write(connection)
        }
    }
}

extension AdCostTable {
    fileprivate init(_ connection: PostgreSQLConnection) throws {
        self.init()
        signed = try Self.sums(
            try connection.run(
                "SELECT network, app, campaign_id, source_identifier, day, count FROM skan.signed_impressions"))
        let ranges = try connection.run("SELECT writer, first, last FROM skan.signed_sequences")
        sequences = try SequenceRanges.byWriter(ranges)
        let paid = try connection.run(
            "SELECT network, app, campaign_id, source_identifier, day, currency, micros FROM skan.spend")
        for row in 0..<paid.count {
            guard let campaign = try paid.campaign(row).spend, let currency = CurrencyCode(try paid.text(row, 5)) else {
                throw DamagedValue(column: 5)
            }
            spend.append(
                Spend(
                    key: .init(
                        day: CalendarDay(number: try paid.integer(row, 4)), campaign: campaign, currency: currency),
                    amount: Money(micros: try paid.integer(row, 6))))
        }
    }

    fileprivate static func sums(_ result: PostgreSQLResult) throws -> [Row: Int64] {
        var sums: [Row: Int64] = [:]
        for row in 0..<result.count {
            sums[Row(day: try result.integer(row, 4), campaign: try result.campaign(row))] = try result.integer(row, 5)
        }
        return sums
    }
}
