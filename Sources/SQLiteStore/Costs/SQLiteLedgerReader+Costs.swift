package import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// What is known of the ads of some days; see ``AttributionStore/LedgerReading/costs(_:)``.
    package func costs(_ days: ClosedRange<CalendarDay>) async throws -> AdCosts {
        try await read { try AdCosts($0, days) }
    }
}

extension AdCosts {
    /// Reads what is known of the ads of some days.
    ///
    /// What is damaged is left out, which sets ``isIncomplete``.
    fileprivate init(_ db: Database, _ days: ClosedRange<CalendarDay>) throws {
        self.init()
        let range: StatementArguments = [days.lowerBound.number, days.upperBound.number]
        // A store whose owner is of an earlier release has no such tables.
        guard try db.tableExists("spend") else {
            return
        }
        let signed: Void? = try Database.nilIfDamaged { try readSigned(db, range) }
        let spend: Void? = try Database.nilIfDamaged { try readSpend(db, range) }
        isIncomplete = isIncomplete || signed == nil || spend == nil
    }

    private mutating func readSigned(_ db: Database, _ range: StatementArguments) throws {
        let plausible = "count BETWEEN 1 AND \(AdCosts.plausibleCounts.upperBound)"
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT network, app, campaign_id, source_identifier, SUM(count) FILTER (WHERE \(plausible)),
                    SUM(NOT \(plausible))
                FROM signed_impressions
                WHERE day BETWEEN ? AND ? GROUP BY network, app, campaign_id, source_identifier
                """, arguments: range)
        while let row = try rows.next() {
            isIncomplete = try row.integer(5) > 0 || isIncomplete
            guard let campaign = try row.campaign.signed else {
                isIncomplete = true
                continue
            }
            // Without a plausible count there is no sum.
            if let count = try? row.integer(4) {
                signed[campaign, default: 0] += count
            }
        }
        signedDays = try Self.days(db, "signed_impressions", range)
    }

    private mutating func readSpend(_ db: Database, _ range: StatementArguments) throws {
        let plausible = "micros BETWEEN 0 AND \(AdCosts.plausibleMicros.upperBound)"
        // Whole units and the rest apart, so that no sum overflows.
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT network, app, campaign_id, source_identifier, currency, SUM(micros / 1000000) FILTER (WHERE \(plausible)),
                    SUM(micros % 1000000) FILTER (WHERE \(plausible)), SUM(NOT \(plausible))
                FROM spend WHERE day BETWEEN ? AND ?
                GROUP BY network, app, campaign_id, source_identifier, currency
                """, arguments: range)
        while let row = try rows.next() {
            isIncomplete = try row.integer(7) > 0 || isIncomplete
            guard let campaign = try row.campaign.spend, let currency = CurrencyCode(try row.text(4)) else {
                isIncomplete = true
                continue
            }
            // Without a plausible amount there is no sum.
            guard let units = try? row.integer(5), let micros = try? row.integer(6) else {
                continue
            }
            let amount = Money(units: units, micros: micros)
            spend[campaign, default: [:]][currency, default: .zero] += amount
        }
        spendDays = try Self.days(db, "spend", range)
    }

    private static func days(
        _ db: Database, _ table: String, _ range: StatementArguments
    ) throws -> [App: Set<CalendarDay>] {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT DISTINCT network, app, day FROM \(table) WHERE day BETWEEN ? AND ?", arguments: range)
        var days: [App: Set<CalendarDay>] = [:]
        while let row = try rows.next() {
            let app = App(network: try row.text(0), app: AppStoreItemID(try row.integer(1)))
            days[app, default: []].insert(CalendarDay(number: try row.integer(2)))
        }
        return days
    }
}

extension Row {
    /// The campaign in the first four columns.
    var campaign: StoredCampaign {
        get throws {
            StoredCampaign(
                network: try text(0), app: try integer(1), campaignID: try integer(2), sourceIdentifier: try text(3))
        }
    }
}
