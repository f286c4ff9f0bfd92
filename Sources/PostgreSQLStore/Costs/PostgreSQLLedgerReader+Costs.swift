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
        let counted = try connection.run(
            """
            SELECT network, app, campaign_id, source_identifier, sum(count)::int8 FROM skan.signed_impressions
            WHERE day BETWEEN $1 AND $2 GROUP BY network, app, campaign_id, source_identifier
            """, range)
        for row in 0..<counted.count {
            guard let campaign = try counted.campaign(row).signed else {
                isIncomplete = true
                continue
            }
            signed[campaign, default: 0] += try counted.integer(row, 4)
        }
        // Whole units and the rest apart, so that no sum overflows.
        let paid = try connection.run(
            """
            SELECT network, app, campaign_id, source_identifier, currency, sum(micros / 1000000)::int8,
                sum(micros % 1000000)::int8
            FROM skan.spend WHERE day BETWEEN $1 AND $2
            GROUP BY network, app, campaign_id, source_identifier, currency
            """, range)
        for row in 0..<paid.count {
            guard let campaign = try paid.campaign(row).spend, let currency = CurrencyCode(try paid.text(row, 4)) else {
                isIncomplete = true
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
