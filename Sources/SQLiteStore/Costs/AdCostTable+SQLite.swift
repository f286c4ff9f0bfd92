import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// What is kept of signed ads and of spend; see ``AttributionStore/LedgerCopySource/costTable(of:)``.
    package func costTable(of ads: AdTraffic) async throws -> AdCostTable {
        try await read { db in
            // A store whose owner is of an earlier release has no such tables.
            try db.tableExists(ads.table("spend")) ? try AdCostTable(db, ads) : AdCostTable(of: ads)
        }
    }
}

extension SQLiteLedgerWriter {
    /// Takes over signed ads and spend; see ``AttributionStore/LedgerCopyTarget/copyCosts(_:of:)``.
    package func copyCosts(_ table: AdCostTable, of store: String) throws -> Set<AdCostTable.Row> {
        let ads = table.ads
        return try database.write { db in
            let copy = try AdCostCopy(
                table, since: try AdCostTable(db, ads, copiedFrom: store),
                counted: try SequenceRanges.counted(of: Set(table.sequences.keys), ads, in: db), into: path)
            let damaged = try ads.addSigned(copy.growth, to: db)
            for (row, count) in copy.growth where !damaged.contains(row) {
                try db.cachedStatement(
                    sql: """
                        INSERT INTO \(ads.table("copy_signed")) VALUES (?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT DO UPDATE SET count = count + excluded.count
                        """
                ).execute(arguments: [store] + row.campaign.arguments(day: row.day) + [count])
            }
            try copy.counted.write(ads, to: db)
            try copy.copied.write(ads, to: db, copiedFrom: store)
            for spend in copy.spend {
                try spend.write(ads, to: db)
                try spend.write(ads, to: db, copiedFrom: store)
            }
            return damaged
        }
    }
}

extension AdCostTable {
    /// Reads what a store has, as far as it can be read.
    ///
    /// - Throws: SQLite's errors, except for damage.
    fileprivate init(_ db: Database, _ ads: AdTraffic) throws {
        self.init(of: ads)
        let parts: [(inout Self) throws -> Void] = [
            { try $0.readSigned(db, from: ads.table("signed_impressions")) },
            { try $0.readSpend(db, from: ads.table("spend")) },
        ]
        for part in parts where try Database.nilIfDamaged({ try part(&self) }) == nil {
            isIncomplete = true
        }
        let areWhole = try Database.nilIfDamaged { try readSequences(db, from: ads.table("signed_sequences")) }
        if areWhole != true {
            leaveOutSigned()
        }
    }

    /// Reads what was copied from a store.
    ///
    /// - Throws: SQLite's errors, also for damage.
    fileprivate init(_ db: Database, _ ads: AdTraffic, copiedFrom store: String) throws {
        self.init(of: ads)
        try readSigned(db, from: "\(ads.table("copy_signed")) WHERE store = ?", [store])
        try readSpend(db, from: "\(ads.table("copy_spend")) WHERE store = ?", [store])
        let areWhole = try readSequences(db, from: "\(ads.table("copy_sequences")) WHERE store = ?", [store])
        guard areWhole, !isIncomplete else {
            throw DatabaseError.damagedColumn
        }
    }

    private mutating func readSigned(
        _ db: Database, from table: String, _ arguments: StatementArguments = []
    ) throws {
        let rows = try GRDB.Row.fetchCursor(
            db, sql: "SELECT network, app, campaign_id, source_identifier, day, count FROM \(table)",
            arguments: arguments)
        while let row = try rows.next() {
            addSigned(try? row.campaign, day: try? row.integer(4), count: try? row.integer(5))
        }
    }

    /// Returns whether all of them can be read.
    private mutating func readSequences(
        _ db: Database, from table: String, _ arguments: StatementArguments = []
    ) throws -> Bool {
        let rows = try GRDB.Row.fetchCursor(
            db, sql: "SELECT writer, first, last FROM \(table)", arguments: arguments)
        var byWriter: [Nonce: [ClosedRange<Int64>]] = [:]
        while let row = try rows.next() {
            guard let text = try? row.text(0), let writer = Nonce(text), let first = try? row.integer(1),
                let last = try? row.integer(2), first <= last
            else {
                return false
            }
            byWriter[writer, default: []].append(first...last)
        }
        sequences = byWriter.mapValues { SequenceRanges($0) }
        return true
    }

    private mutating func readSpend(
        _ db: Database, from table: String, _ arguments: StatementArguments = []
    ) throws {
        let rows = try GRDB.Row.fetchCursor(
            db, sql: "SELECT network, app, campaign_id, source_identifier, day, currency, micros FROM \(table)",
            arguments: arguments)
        while let row = try rows.next() {
            addSpend(
                try? row.campaign, day: try? row.integer(4), currency: try? row.text(5), micros: try? row.integer(6))
        }
    }
}
