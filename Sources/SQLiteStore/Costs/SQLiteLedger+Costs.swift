package import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerWriter {
    /// Takes lines of signed impressions; see ``AttributionStore/AdCostWriting/addSigned(_:of:)``.
    @discardableResult
    package func addSigned(_ lines: [SignedImpressionCount], of ads: AdTraffic) throws -> Int {
        guard !lines.isEmpty else {
            return 0
        }
        let rows = SignedRow.rows(lines)
        return try database.write(decidesHealth: false) { db in try ads.write(rows, db) }
    }

    /// Records spend; see ``AttributionStore/AdCostWriting/recordSpend(_:of:replaces:)``.
    package func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
        try database.write(decidesHealth: false) { db in
            var stored: [Spend.Key: Money] = [:]
            for spend in spend {
                stored[spend.key] = try Int64.fetchOne(
                    db.cachedStatement(
                        sql: """
                            SELECT micros FROM spend
                            WHERE ads = ? AND day = ? AND network = ? AND app = ? AND campaign_id = ?
                                AND source_identifier = ? AND currency = ?
                            """), arguments: spend.key.arguments(ads)
                ).map { Money(micros: $0) }
            }
            let batch = SpendBatch(spend, stored: stored, replaces: replaces)
            try ads.write(batch.written, db)
            return batch.recording
        }
    }
}

extension SQLiteLedgerReader {
    /// What is known of the ads of some days; see ``AttributionStore/LedgerReading/costs(_:)``.
    package func costs(_ question: AdCostQuestion) async throws -> AdCosts {
        try await read(question.limits) { db, check in
            var builder = AdCostsBuilder(question, check)
            let range: StatementArguments = [
                question.ads.rawValue, question.days.lowerBound.number, question.days.upperBound.number,
            ]
            let signed = try Row.fetchCursor(
                db,
                sql: """
                    SELECT network, app, campaign_id, source_identifier, day, SUM(count) FROM signed_impressions
                    WHERE ads = ? AND day BETWEEN ? AND ?
                    GROUP BY network, app, campaign_id, source_identifier, day
                    """, arguments: range)
            while let row = try signed.next() {
                guard let campaign = try row.campaign.signed else {
                    throw DatabaseError.damagedColumn
                }
                try builder.addSigned(try row.integer(5), campaign, on: CalendarDay(number: try row.integer(4)))
            }
            let spend = try Row.fetchCursor(
                db,
                sql: """
                    SELECT network, app, campaign_id, source_identifier, day, currency, micros FROM spend
                    WHERE ads = ? AND day BETWEEN ? AND ?
                    """, arguments: range)
            while let row = try spend.next() {
                try builder.add(try row.spend)
            }
            return builder.costs
        }
    }
}

extension AdTraffic {
    /// Writes rows of signed ads, and returns how many lines were new or raised a count.
    fileprivate func write(_ rows: [SignedRow], _ db: Database) throws -> Int {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO signed_impressions
                    (ads, writer, sequence, day, network, app, campaign_id, source_identifier, count)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (ads, writer, sequence) DO UPDATE SET count = excluded.count WHERE count < excluded.count
                """)
        var new: Int64 = 0
        for row in rows {
            try statement.execute(
                arguments: [rawValue, row.writer, row.sequence] + row.campaign.arguments(day: row.day) + [row.count])
            if db.changesCount > 0 {
                new += row.lines
            }
        }
        return Int(new)
    }

    /// Writes spend, in place of other amounts.
    fileprivate func write(_ spend: [Spend], _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO spend (ads, day, network, app, campaign_id, source_identifier, currency, micros)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET micros = excluded.micros
                """)
        for spend in spend {
            try statement.execute(arguments: spend.key.arguments(self) + [spend.amount.micros])
        }
    }
}

extension Spend.Key {
    fileprivate func arguments(_ ads: AdTraffic) -> StatementArguments {
        [ads.rawValue] + StoredCampaign(campaign).arguments(day: day.number) + [currency.text]
    }
}

extension StoredCampaign {
    fileprivate func arguments(day: Int64) -> StatementArguments {
        [day, network, app, campaignID, sourceIdentifier]
    }
}

extension Row {
    /// The campaign in the first four columns.
    fileprivate var campaign: StoredCampaign {
        get throws {
            StoredCampaign(
                network: try text(0), app: try integer(1), campaignID: try integer(2), sourceIdentifier: try text(3))
        }
    }

    /// The spend in the first seven columns.
    fileprivate var spend: Spend {
        get throws {
            guard let campaign = try campaign.spend, let currency = CurrencyCode(try text(5)) else {
                throw DatabaseError.damagedColumn
            }
            return Spend(
                key: .init(day: CalendarDay(number: try integer(4)), campaign: campaign, currency: currency),
                amount: Money(micros: try integer(6)))
        }
    }
}
