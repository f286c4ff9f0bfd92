import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// What is known of the ads of some days; see ``AttributionStore/LedgerReading/costs(_:)``.
    package func costs(_ question: AdCostQuestion) async throws -> AdCosts {
        try await read(question.limits) { snapshot, check in
            var builder = AdCostsBuilder(question, check)
            try builder.readSigned(snapshot.connection, question)
            try builder.readSpend(snapshot.connection, question)
            return builder.costs
        }
    }
}

extension AdCostsBuilder {
    fileprivate mutating func readSigned(_ connection: PostgreSQLConnection, _ question: AdCostQuestion) throws {
        let table = "skan." + question.ads.table("signed_impressions")
        let plausible = "count BETWEEN 1 AND \(AdCosts.plausibleCounts.upperBound)"
        try connection.each(
            """
            SELECT network, app, campaign_id, source_identifier,
                coalesce(sum(count) FILTER (WHERE \(plausible)), 0)::int8, count(*) FILTER (WHERE NOT \(plausible))
            FROM \(table)
            WHERE day BETWEEN $1 AND $2 GROUP BY network, app, campaign_id, source_identifier
            """, question.range
        ) { found, row in
            let count = try found.integer(row, 4)
            try addSigned(
                try found.campaign(row), count > 0 ? count : nil, hasOthers: try found.integer(row, 5) > 0)
        }
        try readDays(connection, question, of: table, to: \.signedDays)
    }

    fileprivate mutating func readSpend(_ connection: PostgreSQLConnection, _ question: AdCostQuestion) throws {
        let table = "skan." + question.ads.table("spend")
        let plausible = "micros BETWEEN 0 AND \(AdCosts.plausibleMicros.upperBound)"
        // Whole units and the rest apart, so that no sum overflows.
        try connection.each(
            """
            SELECT network, app, campaign_id, source_identifier, currency,
                coalesce(sum(micros / 1000000) FILTER (WHERE \(plausible)), 0)::int8,
                coalesce(sum(micros % 1000000) FILTER (WHERE \(plausible)), 0)::int8,
                count(*) FILTER (WHERE \(plausible)), count(*) FILTER (WHERE NOT \(plausible))
            FROM \(table) WHERE day BETWEEN $1 AND $2
            GROUP BY network, app, campaign_id, source_identifier, currency
            """, question.range
        ) { found, row in
            let amount = Money(units: try found.integer(row, 5), micros: try found.integer(row, 6))
            try addSpend(
                try found.campaign(row), try found.integer(row, 7) > 0 ? amount : nil, try found.text(row, 4),
                hasOthers: try found.integer(row, 8) > 0)
        }
        try readDays(connection, question, of: table, to: \.spendDays)
    }

    private mutating func readDays(
        _ connection: PostgreSQLConnection, _ question: AdCostQuestion, of table: String,
        to days: WritableKeyPath<AdCosts, [AdCosts.App: Set<CalendarDay>]>
    ) throws {
        try connection.each(
            "SELECT DISTINCT network, app, day FROM \(table) WHERE day BETWEEN $1 AND $2", question.range
        ) { found, row in
            try add(
                CalendarDay(number: try found.integer(row, 2)),
                of: AdCosts.App(network: try found.text(row, 0), app: AppStoreItemID(try found.integer(row, 1))),
                to: days)
        }
    }
}

extension AdCostQuestion {
    /// Its first and last day.
    fileprivate var range: [PostgreSQLParameter] {
        [.integer(days.lowerBound.number), .integer(days.upperBound.number)]
    }
}

extension PostgreSQLResult {
    /// The campaign in the first four columns.
    func campaign(_ row: Int) throws -> StoredCampaign {
        StoredCampaign(
            network: try text(row, 0), app: try integer(row, 1), campaignID: try integer(row, 2),
            sourceIdentifier: try text(row, 3))
    }
}
