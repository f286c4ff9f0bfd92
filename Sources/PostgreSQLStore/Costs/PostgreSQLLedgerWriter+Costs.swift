package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter {
    /// Held while lines or spend are added, so that two nodes never add the same ones.
    package static let costLock: Int64 = 0x736b_616e_0004

    /// Adds up lines of signed impressions, as ``AttributionStore/AdCostWriting`` has it.
    @discardableResult
    package func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> SignedRecording {
        guard !counts.isEmpty else {
            return SignedRecording()
        }
        return try lockedTransaction { try Self.addSigned(counts, ads, $0) }
    }

    /// Adds up lines of real ads unless others add some meanwhile, as ``AttributionStore/AdCostWriting`` has it.
    package func addSignedUnlessBusy(_ counts: [SignedImpressionCount]) throws -> SignedRecording? {
        try withCostConnection { connection in
            try connection.transaction { connection in
                let isFree = try connection.run(
                    "SELECT pg_try_advisory_xact_lock($1)", [.integer(Self.costLock)])
                guard try isFree.bool(0, 0) else {
                    return nil
                }
                try BatchID().insert(connection)
                return try Self.addSigned(counts, .real, connection)
            }
        }
    }

    private static func addSigned(
        _ counts: [SignedImpressionCount], _ ads: AdTraffic, _ connection: PostgreSQLConnection
    ) throws -> SignedRecording {
        let batch = SignedCountBatch(
            counts, counted: try SequenceRanges.counted(of: Set(counts.map(\.writer)), ads, connection))
        let added = batch.leavingOut(try ads.addSigned(batch.sums, connection))
        try added.sequences.write(ads, connection)
        return added.recording
    }

    /// Records spend, as ``AttributionStore/AdCostWriting`` has it.
    package func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
        try lockedTransaction { connection in
            let found = try connection.run(
                """
                SELECT given.number, stored.micros
                FROM unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[])
                    WITH ORDINALITY AS given(day, network, app, campaign_id, source_identifier, currency, number)
                    JOIN skan.\(ads.table("spend")) AS stored
                        USING (day, network, app, campaign_id, source_identifier, currency)
                """, spend.map(\.key).parameters)
            var stored: [Spend.Key: Money] = [:]
            for row in 0..<found.count {
                stored[spend[Int(try found.integer(row, 0)) - 1].key] = Money(micros: try found.integer(row, 1))
            }
            let batch = SpendBatch(spend, stored: stored, replaces: replaces)
            try batch.written.map { Spend(key: $0, amount: $1) }.write(ads, connection)
            return batch.recording
        }
    }

    /// The recording connection; what fails here says nothing about whether postbacks can be recorded.
    private func withCostConnection<Result: Sendable>(_ work: (PostgreSQLConnection) throws -> Result) throws -> Result
    {
        try withUnwatchedSession { session in try work(try session.connection()) }
    }

    private func lockedTransaction<Result: Sendable>(
        _ work: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        try withCostConnection { connection in
            try connection.transaction { connection in
                try BatchID().insert(connection, behind: Self.costLock)
                return try work(connection)
            }
        }
    }
}

extension AdTraffic {
    /// Adds to sums of signed ads, within a transaction.
    ///
    /// - Returns: Those that are damaged, and stay as they are.
    func addSigned(
        _ sums: [AdCostTable.Row: Int64], _ connection: PostgreSQLConnection
    ) throws -> Set<AdCostTable.Row> {
        let added = try connection.run(
            """
            INSERT INTO skan.\(table("signed_impressions")) AS stored
                (day, network, app, campaign_id, source_identifier, count)
            SELECT * FROM unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::int8[])
            ON CONFLICT (day, network, app, campaign_id, source_identifier)
            DO UPDATE SET count = stored.count + excluded.count
            WHERE stored.count BETWEEN 1 AND \(AdCosts.plausibleCounts.upperBound)
            RETURNING network, app, campaign_id, source_identifier, day
            """, sums.parameters)
        var damaged = Set(sums.keys)
        for row in 0..<added.count {
            damaged.remove(AdCostTable.Row(day: try added.integer(row, 4), campaign: try added.campaign(row)))
        }
        return damaged
    }
}

extension [AdCostTable.Row: Int64] {
    /// The columns of sums of signed ads.
    var parameters: [PostgreSQLParameter] {
        let sums = Array(self)
        return [.integers(sums.map(\.key.day))] + sums.map(\.key.campaign).parameters
            + [.integers(sums.map(\.value))]
    }
}

extension SequenceRanges {
    /// What was counted of some writers.
    static func counted(
        of writers: Set<Nonce>, _ ads: AdTraffic, _ connection: PostgreSQLConnection
    ) throws -> [Nonce: SequenceRanges] {
        let found = try connection.run(
            "SELECT writer, first, last FROM skan.\(ads.table("signed_sequences")) WHERE writer = ANY ($1::text[])",
            [.texts(writers.map(\.text))])
        return try byWriter(found)
    }

    /// The ranges of a result by their writers.
    static func byWriter(_ result: PostgreSQLResult) throws -> [Nonce: SequenceRanges] {
        var ranges: [Nonce: [ClosedRange<Int64>]] = [:]
        for row in 0..<result.count {
            let (first, last) = (try result.integer(row, 1), try result.integer(row, 2))
            guard let writer = Nonce(try result.text(row, 0)), first <= last else {
                throw DamagedValue(column: 0)
            }
            ranges[writer, default: []].append(first...last)
        }
        return ranges.mapValues { SequenceRanges($0) }
    }
}

extension SequenceChange {
    /// Writes it, within a transaction.
    func write(_ ads: AdTraffic, _ connection: PostgreSQLConnection) throws {
        let table = "skan." + ads.table("signed_sequences")
        try connection.run(
            """
            DELETE FROM \(table) AS stored USING unnest($1::text[], $2::int8[]) AS removed(writer, first)
            WHERE stored.writer = removed.writer AND stored.first = removed.first
            """,
            [.texts(removed.map(\.writer.text)), .integers(removed.map(\.numbers.lowerBound))])
        try connection.run(
            """
            INSERT INTO \(table) (writer, first, last)
            SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[])
            """,
            [
                .texts(added.map(\.writer.text)), .integers(added.map(\.numbers.lowerBound)),
                .integers(added.map(\.numbers.upperBound)),
            ])
    }

    /// Notes what was copied from a store, within a transaction.
    func write(_ ads: AdTraffic, _ connection: PostgreSQLConnection, copiedFrom store: String) throws {
        let table = "skan." + ads.table("copy_sequences")
        try connection.run(
            """
            DELETE FROM \(table) AS stored USING unnest($1::text[], $2::int8[]) AS removed(writer, first)
            WHERE stored.store = $3 AND stored.writer = removed.writer AND stored.first = removed.first
            """,
            [.texts(removed.map(\.writer.text)), .integers(removed.map(\.numbers.lowerBound)), .text(store)])
        try connection.run(
            """
            INSERT INTO \(table) (store, writer, first, last)
            SELECT $4, * FROM unnest($1::text[], $2::int8[], $3::int8[])
            """,
            [
                .texts(added.map(\.writer.text)), .integers(added.map(\.numbers.lowerBound)),
                .integers(added.map(\.numbers.upperBound)), .text(store),
            ])
    }
}

extension [Spend] {
    /// Writes them in place of other amounts, within a transaction.
    func write(_ ads: AdTraffic, _ connection: PostgreSQLConnection) throws {
        try connection.run(
            """
            INSERT INTO skan.\(ads.table("spend")) (day, network, app, campaign_id, source_identifier, currency, micros)
            SELECT * FROM unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::int8[])
            ON CONFLICT (day, network, app, campaign_id, source_identifier, currency)
            DO UPDATE SET micros = excluded.micros
            """, map(\.key).parameters + [.integers(map(\.amount.micros))])
    }

    /// Notes the amounts as copied from a store, within a transaction.
    func write(_ ads: AdTraffic, _ connection: PostgreSQLConnection, copiedFrom store: String) throws {
        try connection.run(
            """
            INSERT INTO skan.\(ads.table("copy_spend"))
                (store, day, network, app, campaign_id, source_identifier, currency, micros)
            SELECT $8, *
            FROM unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::int8[])
            ON CONFLICT (store, day, network, app, campaign_id, source_identifier, currency)
            DO UPDATE SET micros = excluded.micros
            """, map(\.key).parameters + [.integers(map(\.amount.micros)), .text(store)])
    }
}

extension [StoredCampaign] {
    /// Their columns.
    var parameters: [PostgreSQLParameter] {
        [
            .texts(map(\.network)), .integers(map(\.app)), .integers(map(\.campaignID)),
            .texts(map(\.sourceIdentifier)),
        ]
    }
}

extension [Spend.Key] {
    /// Their columns.
    fileprivate var parameters: [PostgreSQLParameter] {
        [.integers(map(\.day.number))] + map { StoredCampaign($0.campaign) }.parameters
            + [.texts(map(\.currency.text))]
    }
}
