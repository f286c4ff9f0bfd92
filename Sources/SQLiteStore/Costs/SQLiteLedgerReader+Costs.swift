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
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT network, app, campaign_id, source_identifier, SUM(count) FROM signed_impressions
                WHERE day BETWEEN ? AND ? GROUP BY network, app, campaign_id, source_identifier
                """, arguments: range)
        while let row = try rows.next() {
            guard let campaign = try row.campaign.signed else {
                isIncomplete = true
                continue
            }
            signed[campaign, default: 0] += try row.integer(4)
        }
        signedDays = try Self.days(db, "signed_impressions", range)
    }

    private mutating func readSpend(_ db: Database, _ range: StatementArguments) throws {
        // Whole units and the rest apart, so that no sum overflows.
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT network, app, campaign_id, source_identifier, currency, SUM(micros / 1000000),
                    SUM(micros % 1000000)
                FROM spend WHERE day BETWEEN ? AND ?
                GROUP BY network, app, campaign_id, source_identifier, currency
                """, arguments: range)
        while let row = try rows.next() {
            guard let campaign = try row.campaign.spend, let currency = CurrencyCode(try row.text(4)) else {
                isIncomplete = true
                continue
            }
            let amount = Money(units: try row.integer(5), micros: try row.integer(6))
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
