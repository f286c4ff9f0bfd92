package import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerWriter {
    /// Adds up lines of signed impressions, as ``AttributionStore/AdCostWriting`` has it.
    @discardableResult
    package func addSigned(_ counts: [SignedImpressionCount], of ads: AdTraffic) throws -> SignedRecording {
        guard !counts.isEmpty else {
            return SignedRecording()
        }
        return try database.write { db in
            let batch = SignedCountBatch(
                counts, counted: try SequenceRanges.counted(of: Set(counts.map(\.writer)), ads, in: db))
            let added = batch.leavingOut(try ads.addSigned(batch.sums, to: db))
            try added.sequences.write(ads, to: db)
            return added.recording
        }
    }

    /// Records spend, as ``AttributionStore/AdCostWriting`` has it.
    package func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
        try database.write { db in
            var stored: [Spend.Key: Money] = [:]
            for spend in spend {
                stored[spend.key] = try Int64.fetchOne(
                    db.cachedStatement(
                        sql: """
                            SELECT micros FROM \(ads.table("spend"))
                            WHERE day = ? AND network = ? AND app = ? AND campaign_id = ? AND source_identifier = ?
                                AND currency = ?
                            """), arguments: spend.key.arguments
                ).map { Money(micros: $0) }
            }
            let batch = SpendBatch(spend, stored: stored, replaces: replaces)
            for (key, amount) in batch.written {
                try Spend(key: key, amount: amount).write(ads, to: db)
            }
            return batch.recording
        }
    }
}

extension AdTraffic {
    /// Adds to sums of signed ads, within a transaction.
    ///
    /// - Returns: Those that are damaged, and stay as they are.
    func addSigned(_ sums: [AdCostTable.Row: Int64], to db: Database) throws -> Set<AdCostTable.Row> {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(table("signed_impressions")) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                WHERE count BETWEEN 1 AND \(AdCosts.plausibleCounts.upperBound)
                """)
        var damaged: Set<AdCostTable.Row> = []
        for (row, count) in sums {
            try statement.execute(arguments: row.campaign.arguments(day: row.day) + [count])
            if db.changesCount == 0 {
                damaged.insert(row)
            }
        }
        return damaged
    }
}

extension SequenceRanges {
    /// What was counted of some writers.
    static func counted(
        of writers: Set<Nonce>, _ ads: AdTraffic, in db: Database
    ) throws -> [Nonce: SequenceRanges] {
        var counted: [Nonce: SequenceRanges] = [:]
        for writer in writers {
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: "SELECT first, last FROM \(ads.table("signed_sequences")) WHERE writer = ?"),
                arguments: [writer.text])
            counted[writer] = SequenceRanges(
                try rows.map { row in
                    let (first, last) = (try row.integer(0), try row.integer(1))
                    guard first <= last else {
                        throw DatabaseError.damagedColumn
                    }
                    return first...last
                })
        }
        return counted
    }
}

extension SequenceChange {
    /// Writes it, within a transaction.
    func write(_ ads: AdTraffic, to db: Database) throws {
        let table = ads.table("signed_sequences")
        for range in removed {
            try db.cachedStatement(sql: "DELETE FROM \(table) WHERE writer = ? AND first = ?")
                .execute(arguments: [range.writer.text, range.numbers.lowerBound])
        }
        for range in added {
            try db.cachedStatement(sql: "INSERT INTO \(table) VALUES (?, ?, ?)")
                .execute(arguments: [range.writer.text, range.numbers.lowerBound, range.numbers.upperBound])
        }
    }

    /// Notes what was copied from a store, within a transaction.
    func write(_ ads: AdTraffic, to db: Database, copiedFrom store: String) throws {
        let table = ads.table("copy_sequences")
        for range in removed {
            try db.cachedStatement(sql: "DELETE FROM \(table) WHERE store = ? AND writer = ? AND first = ?")
                .execute(arguments: [store, range.writer.text, range.numbers.lowerBound])
        }
        for range in added {
            try db.cachedStatement(sql: "INSERT INTO \(table) VALUES (?, ?, ?, ?)")
                .execute(arguments: [store, range.writer.text, range.numbers.lowerBound, range.numbers.upperBound])
        }
    }
}

extension Spend {
    /// Writes it in place of another amount, within a transaction.
    func write(_ ads: AdTraffic, to db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO \(ads.table("spend")) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET micros = excluded.micros
                """
        ).execute(arguments: key.arguments + [amount.micros])
    }

    /// Notes the amount as copied from a store, within a transaction.
    func write(_ ads: AdTraffic, to db: Database, copiedFrom store: String) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO \(ads.table("copy_spend")) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET micros = excluded.micros
                """
        ).execute(arguments: [store] + key.arguments + [amount.micros])
    }
}

extension Spend.Key {
    fileprivate var arguments: StatementArguments {
        StoredCampaign(campaign).arguments(day: day.number) + [currency.text]
    }
}

extension StoredCampaign {
    /// The first five columns of every table of costs.
    func arguments(day: Int64) -> StatementArguments {
        [day, network, app, campaignID, sourceIdentifier]
    }
}
