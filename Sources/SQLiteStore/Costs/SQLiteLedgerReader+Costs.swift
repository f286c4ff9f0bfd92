import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// What is known of the ads of some days; see ``AttributionStore/LedgerReading/costs(_:)``.
    package func costs(_ question: AdCostQuestion) async throws -> AdCosts {
        try await read(question.limits) { db, check in
            var builder = AdCostsBuilder(question, check)
            try builder.read(db, question)
            return builder.costs
        }
    }
}

extension AdCostsBuilder {
    /// Reads what is known.
    ///
    /// What is damaged is left out, and the answer marked.
    fileprivate mutating func read(_ db: Database, _ question: AdCostQuestion) throws {
        // A store whose owner is of an earlier release has no such tables.
        guard try db.tableExists(question.ads.table("spend")) else {
            return
        }
        let parts: [(inout Self) throws -> Void] = [
            { try $0.readSigned(db, question) }, { try $0.readSpend(db, question) },
        ]
        for part in parts where try Database.nilIfDamaged({ try part(&self) }) == nil {
            markIncomplete()
        }
    }

    private mutating func readSigned(_ db: Database, _ question: AdCostQuestion) throws {
        let table = question.ads.table("signed_impressions")
        let plausible = "count BETWEEN 1 AND \(AdCosts.plausibleCounts.upperBound)"
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT network, app, campaign_id, source_identifier, SUM(count) FILTER (WHERE \(plausible)),
                    SUM(NOT \(plausible))
                FROM \(table)
                WHERE day BETWEEN ? AND ? GROUP BY network, app, campaign_id, source_identifier
                """, arguments: question.range)
        while let row = try rows.next() {
            // Without a plausible count there is no sum.
            try addSigned(try row.campaign, try? row.integer(4), hasOthers: try row.integer(5) > 0)
        }
        try readDays(db, question, of: table, to: \.signedDays)
    }

    private mutating func readSpend(_ db: Database, _ question: AdCostQuestion) throws {
        let table = question.ads.table("spend")
        let plausible = "micros BETWEEN 0 AND \(AdCosts.plausibleMicros.upperBound)"
        // Whole units and the rest apart, so that no sum overflows.
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT network, app, campaign_id, source_identifier, currency,
                    SUM(micros / 1000000) FILTER (WHERE \(plausible)),
                    SUM(micros % 1000000) FILTER (WHERE \(plausible)), SUM(NOT \(plausible))
                FROM \(table) WHERE day BETWEEN ? AND ?
                GROUP BY network, app, campaign_id, source_identifier, currency
                """, arguments: question.range)
        while let row = try rows.next() {
            var amount: Money?
            // Without a plausible amount there is no sum.
            if let units = try? row.integer(5), let micros = try? row.integer(6) {
                amount = Money(units: units, micros: micros)
            }
            try addSpend(try row.campaign, amount, try row.text(4), hasOthers: try row.integer(7) > 0)
        }
        try readDays(db, question, of: table, to: \.spendDays)
    }

    private mutating func readDays(
        _ db: Database, _ question: AdCostQuestion, of table: String,
        to days: WritableKeyPath<AdCosts, [AdCosts.App: Set<CalendarDay>]>
    ) throws {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT DISTINCT network, app, day FROM \(table) WHERE day BETWEEN ? AND ?",
            arguments: question.range)
        while let row = try rows.next() {
            try add(
                CalendarDay(number: try row.integer(2)),
                of: AdCosts.App(network: try row.text(0), app: AppStoreItemID(try row.integer(1))), to: days)
        }
    }
}

extension AdCostQuestion {
    /// Its first and last day.
    fileprivate var range: StatementArguments {
        [days.lowerBound.number, days.upperBound.number]
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
