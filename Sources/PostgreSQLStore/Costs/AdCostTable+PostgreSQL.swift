import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// What is kept of signed ads and of spend; see ``AttributionStore/LedgerCopySource/costTable(of:)``.
    package func costTable(of ads: AdTraffic) async throws -> AdCostTable {
        try await read { try AdCostTable($0.connection, ads) }
    }
}

extension PostgreSQLCopyTarget {
    /// Takes over signed ads and spend; see ``AttributionStore/LedgerCopyTarget/copyCosts(_:of:)``.
    package func copyCosts(_ table: AdCostTable, of store: String) throws -> Set<AdCostTable.Row> {
        let ads = table.ads
        return try transaction(behind: PostgreSQLLedgerWriter.costLock) { connection in
            let copy = try AdCostCopy(
                table, since: try AdCostTable(connection, ads, copiedFrom: store),
                counted: try SequenceRanges.counted(of: Set(table.sequences.keys), ads, connection),
                into: address.description)
            let damaged = try ads.addSigned(copy.growth, connection)
            try connection.run(
                """
                INSERT INTO skan.\(ads.table("copy_signed")) AS stored
                    (store, day, network, app, campaign_id, source_identifier, count)
                SELECT $7, * FROM unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::int8[])
                ON CONFLICT (store, day, network, app, campaign_id, source_identifier)
                DO UPDATE SET count = stored.count + excluded.count
                """, copy.growth.filter { !damaged.contains($0.key) }.parameters + [.text(store)])
            try copy.counted.write(ads, connection)
            try copy.copied.write(ads, connection, copiedFrom: store)
            try copy.spend.write(ads, connection)
            try copy.spend.write(ads, connection, copiedFrom: store)
            return damaged
        }
    }
}

extension AdCostTable {
    /// Reads what a store has, as far as it can be read.
    fileprivate init(_ connection: PostgreSQLConnection, _ ads: AdTraffic) throws {
        self.init(of: ads)
        try readSigned(connection, from: ads.table("signed_impressions"))
        try readSpend(connection, from: ads.table("spend"))
        do {
            sequences = try SequenceRanges.byWriter(
                try connection.run("SELECT writer, first, last FROM skan.\(ads.table("signed_sequences"))"))
        } catch is DamagedValue {
            leaveOutSigned()
        }
    }

    /// Reads what was copied from a store.
    fileprivate init(_ connection: PostgreSQLConnection, _ ads: AdTraffic, copiedFrom store: String) throws {
        self.init(of: ads)
        try readSigned(connection, from: "\(ads.table("copy_signed")) WHERE store = $1", [.text(store)])
        try readSpend(connection, from: "\(ads.table("copy_spend")) WHERE store = $1", [.text(store)])
        sequences = try SequenceRanges.byWriter(
            try connection.run(
                "SELECT writer, first, last FROM skan.\(ads.table("copy_sequences")) WHERE store = $1",
                [.text(store)]))
        guard !isIncomplete else {
            throw DamagedValue(column: 0)
        }
    }

    private mutating func readSigned(
        _ connection: PostgreSQLConnection, from table: String, _ parameters: [PostgreSQLParameter] = []
    ) throws {
        let found = try connection.run(
            "SELECT network, app, campaign_id, source_identifier, day, count FROM skan.\(table)", parameters)
        for row in 0..<found.count {
            addSigned(
                try? found.campaign(row), day: try? found.integer(row, 4), count: try? found.integer(row, 5))
        }
    }

    private mutating func readSpend(
        _ connection: PostgreSQLConnection, from table: String, _ parameters: [PostgreSQLParameter] = []
    ) throws {
        let found = try connection.run(
            "SELECT network, app, campaign_id, source_identifier, day, currency, micros FROM skan.\(table)",
            parameters)
        for row in 0..<found.count {
            addSpend(
                try? found.campaign(row), day: try? found.integer(row, 4), currency: try? found.text(row, 5),
                micros: try? found.integer(row, 6))
        }
    }
}
