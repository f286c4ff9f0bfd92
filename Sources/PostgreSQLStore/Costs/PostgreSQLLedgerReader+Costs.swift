package import Attribution
package import AttributionStore

extension PostgreSQLLedgerReader {
    /// What is known of the ads of some days; see ``AttributionStore/LedgerReading/costs(_:)``.
    package func costs(_ days: ClosedRange<CalendarDay>) async throws -> AdCosts {
        try await read { try AdCosts($0.connection, days) }
    }
}

extension AdCosts {
    /// Reads what is known of the ads of some days, in the snapshot at hand.
    fileprivate init(_ connection: PostgreSQLConnection, _ days: ClosedRange<CalendarDay>) throws {
        self.init()
        let range: [PostgreSQLParameter] = [.integer(days.lowerBound.number), .integer(days.upperBound.number)]
        let plausibleCount = "count BETWEEN 1 AND \(AdCosts.plausibleCounts.upperBound)"
        let counted = try connection.run(
            """
            SELECT network, app, campaign_id, source_identifier,
                coalesce(sum(count) FILTER (WHERE \(plausibleCount)), 0)::int8, count(*) FILTER (WHERE NOT \(plausibleCount))
            FROM skan.signed_impressions
            WHERE day BETWEEN $1 AND $2 GROUP BY network, app, campaign_id, source_identifier
            """, range)
        for row in 0..<counted.count {
            guard let campaign = try counted.campaign(row).signed else {
                isIncomplete = true
                continue
            }
            isIncomplete = try counted.integer(row, 5) > 0 || isIncomplete
            let count = try counted.integer(row, 4)
            if count > 0 {
                signed[campaign, default: 0] += count
            }
        }
        let plausibleSpend = "micros BETWEEN 0 AND \(AdCosts.plausibleMicros.upperBound)"
        // Whole units and the rest apart, so that no sum overflows.
        let paid = try connection.run(
            """
            SELECT network, app, campaign_id, source_identifier, currency,
                coalesce(sum(micros / 1000000) FILTER (WHERE \(plausibleSpend)), 0)::int8,
                coalesce(sum(micros % 1000000) FILTER (WHERE \(plausibleSpend)), 0)::int8,
                count(*) FILTER (WHERE \(plausibleSpend)), count(*) FILTER (WHERE NOT \(plausibleSpend))
            FROM skan.spend WHERE day BETWEEN $1 AND $2
            GROUP BY network, app, campaign_id, source_identifier, currency
            """, range)
        for row in 0..<paid.count {
            guard let campaign = try paid.campaign(row).spend, let currency = CurrencyCode(try paid.text(row, 4)) else {
                isIncomplete = true
                continue
            }
            isIncomplete = try paid.integer(row, 8) > 0 || isIncomplete
            guard try paid.integer(row, 7) > 0 else {
                continue
            }
            let amount = Money(units: try paid.integer(row, 5), micros: try paid.integer(row, 6))
            spend[campaign, default: [:]][currency, default: .zero] += amount
        }
        signedDays = try Self.days(connection, "skan.signed_impressions", range)
        spendDays = try Self.days(connection, "skan.spend", range)
    }

    private static func days(
        _ connection: PostgreSQLConnection, _ table: String, _ range: [PostgreSQLParameter]
    ) throws -> [App: Set<CalendarDay>] {
        let found = try connection.run(
            "SELECT DISTINCT network, app, day FROM \(table) WHERE day BETWEEN $1 AND $2", range)
        var days: [App: Set<CalendarDay>] = [:]
        for row in 0..<found.count {
            let app = App(network: try found.text(row, 0), app: AppStoreItemID(try found.integer(row, 1)))
            days[app, default: []].insert(CalendarDay(number: try found.integer(row, 2)))
        }
        return days
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
