package import Attribution
package import AttributionStore

extension PostgreSQLLedgerWriter {
    /// Held while spend is compared with what is there and written.
    package static let costLock: Int64 = 0x736b_616e_0004

    /// Takes lines of signed impressions; see ``AttributionStore/AdCostWriting/addSigned(_:of:)``.
    @discardableResult
    package func addSigned(_ lines: [SignedImpressionCount], of ads: AdTraffic) throws -> Int {
        guard !lines.isEmpty else {
            return 0
        }
        let rows = SignedRow.rows(lines)
        // A failure here says nothing about whether postbacks can be recorded.
        return try withUnwatchedSession { session in
            try session.connection().transaction { connection in
                try BatchID().insert(connection)
                return try ads.write(rows, connection)
            }
        }
    }

    /// Records spend; see ``AttributionStore/AdCostWriting/recordSpend(_:of:replaces:)``.
    package func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
        try withUnwatchedSession { session in
            try session.connection().transaction { connection in
                try BatchID().insert(connection, behind: Self.costLock)
                let found = try connection.run(
                    """
                    SELECT given.number, stored.micros
                    FROM unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[])
                        WITH ORDINALITY AS given (day, network, app, campaign_id, source_identifier, currency, number)
                        JOIN skan.spend AS stored
                            USING (day, network, app, campaign_id, source_identifier, currency)
                    WHERE stored.ads = $7
                    """, spend.map(\.key).parameters + [.text(ads.rawValue)])
                var stored: [Spend.Key: Money] = [:]
                for row in 0..<found.count {
                    stored[spend[Int(try found.integer(row, 0)) - 1].key] = Money(micros: try found.integer(row, 1))
                }
                let batch = SpendBatch(spend, stored: stored, replaces: replaces)
                try ads.write(batch.written, connection)
                return batch.recording
            }
        }
    }
}

extension PostgreSQLLedgerReader {
    /// What is known of the ads of some days; see ``AttributionStore/LedgerReading/costs(_:)``.
    package func costs(_ question: AdCostQuestion) async throws -> AdCosts {
        try await read(question.limits) { snapshot, check in
            var builder = AdCostsBuilder(question, check)
            let range: [PostgreSQLParameter] = [
                .text(question.ads.rawValue), .integer(question.days.lowerBound.number),
                .integer(question.days.upperBound.number),
            ]
            try snapshot.connection.each(
                """
                SELECT network, app, campaign_id, source_identifier, day, sum(count)::int8
                FROM skan.signed_impressions WHERE ads = $1 AND day BETWEEN $2 AND $3
                GROUP BY network, app, campaign_id, source_identifier, day
                """, range
            ) { found, row in
                guard let campaign = try found.campaign(row).signed else {
                    throw DamagedValue(column: 0)
                }
                try builder.addSigned(
                    try found.integer(row, 5), campaign, on: CalendarDay(number: try found.integer(row, 4)))
            }
            try snapshot.connection.each(
                """
                SELECT network, app, campaign_id, source_identifier, day, currency, micros
                FROM skan.spend WHERE ads = $1 AND day BETWEEN $2 AND $3
                """, range
            ) { found, row in try builder.add(try found.spend(row)) }
            return builder.costs
        }
    }
}

extension AdTraffic {
    /// Writes rows of signed ads, and returns how many lines were new or raised a count.
    fileprivate func write(_ rows: [SignedRow], _ connection: PostgreSQLConnection) throws -> Int {
        Int(
            try connection.run(
                """
                WITH changed AS (
                    INSERT INTO skan.signed_impressions AS stored
                        (day, network, app, campaign_id, source_identifier, writer, sequence, count, ads)
                    SELECT *, $9 FROM unnest(
                        $1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::int8[], $8::int8[])
                    ON CONFLICT (ads, writer, sequence)
                    DO UPDATE SET count = excluded.count WHERE stored.count < excluded.count
                    RETURNING writer, sequence
                )
                SELECT coalesce(sum(lines), 0)::int8
                FROM changed JOIN unnest($6::text[], $7::int8[], $10::int8[]) AS row (writer, sequence, lines)
                    USING (writer, sequence)
                """,
                [.integers(rows.map(\.day))] + rows.map(\.campaign).parameters + [
                    .texts(rows.map(\.writer)), .integers(rows.map(\.sequence)), .integers(rows.map(\.count)),
                    .text(rawValue), .integers(rows.map(\.lines)),
                ]
            ).integer(0, 0))
    }

    /// Writes spend, in place of other amounts.
    fileprivate func write(_ spend: [Spend], _ connection: PostgreSQLConnection) throws {
        try connection.run(
            """
            INSERT INTO skan.spend (day, network, app, campaign_id, source_identifier, currency, micros, ads)
            SELECT *, $8
            FROM unnest($1::int8[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::int8[])
            ON CONFLICT (ads, day, network, app, campaign_id, source_identifier, currency)
            DO UPDATE SET micros = excluded.micros
            """,
            spend.map(\.key).parameters + [.integers(spend.map(\.amount.micros)), .text(rawValue)])
    }
}

extension [StoredCampaign] {
    fileprivate var parameters: [PostgreSQLParameter] {
        [
            .texts(map(\.network)), .integers(map(\.app)), .integers(map(\.campaignID)),
            .texts(map(\.sourceIdentifier)),
        ]
    }
}

extension [Spend.Key] {
    fileprivate var parameters: [PostgreSQLParameter] {
        [.integers(map(\.day.number))] + map { StoredCampaign($0.campaign) }.parameters
            + [.texts(map(\.currency.text))]
    }
}

extension PostgreSQLResult {
    /// The campaign in the first four columns.
    fileprivate func campaign(_ row: Int) throws -> StoredCampaign {
        StoredCampaign(
            network: try text(row, 0), app: try integer(row, 1), campaignID: try integer(row, 2),
            sourceIdentifier: try text(row, 3))
    }

    /// The spend in the first seven columns.
    fileprivate func spend(_ row: Int) throws -> Spend {
        guard let campaign = try campaign(row).spend, let currency = CurrencyCode(try text(row, 5)) else {
            throw DamagedValue(column: 5)
        }
        return Spend(
            key: .init(day: CalendarDay(number: try integer(row, 4)), campaign: campaign, currency: currency),
            amount: Money(micros: try integer(row, 6)))
    }
}
