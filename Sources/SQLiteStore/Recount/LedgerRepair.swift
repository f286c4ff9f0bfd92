package import Attribution
package import AttributionStore
import Foundation
import GRDB

/// Makes anew what is derived from the raw bytes: digests, columns, indexes and counts of recorded postbacks.
package struct LedgerRepair {
    fileprivate let database: OwnedDatabase
    fileprivate let reader: SQLiteLedgerReader
    /// Takes the key digests of rows whose digests were derived again, for the owner's index.
    fileprivate let didRepair: @Sendable ([(digest: UInt64, row: Int64)]) -> Void

    /// How many rows are repaired in one transaction, behind which recording waits.
    private static let rowsAtOnce = 64

    /// Repairs a store that has no owner, as its owner, and keeps the keys that were added to Apple's for it.
    ///
    /// - Throws: ``AttributionStore/StoreError``, such as ``AttributionStore/StoreError/inUse(path:)`` if it has an
    ///   owner.
    package static func repair(
        path: String,
        keeping keys: [AppleKeyRecord] = [],
        judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]
    ) async throws -> RecountRepair {
        let reader = try SQLiteLedgerReader(path)
        let database = try OwnedDatabase(path: path, schema: LedgerSchema.schema)
        let result: Result<RecountRepair, any Error>
        do {
            if !keys.isEmpty {
                try database.write { try AppleKeyRecord.keep(keys, $0) }
            }
            result = .success(try await LedgerRepair(database: database, reader: reader) { _ in }.run(judge))
        } catch {
            result = .failure(error)
        }
        reader.close()
        _ = try database.close()
        return try result.get()
    }

    fileprivate func run(_ judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> RecountRepair {
        try database.write {
            try DerivedTables.makeMissing($0)
        } didCommit: {
            didRepair([])
        }
        return try await RecountRepair {
            try await reader.recount(judge: judge)
        } repair: { differences in
            // Columns are derived only from rows whose digests are right.
            let blocks = differences.filter { if case .block = $0 { true } else { false } }
            let others = differences.filter { if case .block = $0 { false } else { true } }
            for start in stride(from: 0, to: others.count, by: Self.rowsAtOnce) {
                try repair(others[start..<min(start + Self.rowsAtOnce, others.count)])
            }
            for index in blocks.indices {
                try repair(blocks[index...index])
            }
        }
    }

    /// Repairs differences in one transaction.
    private func repair(_ differences: ArraySlice<RecountDifference>) throws {
        var digests: [(digest: UInt64, row: Int64)] = []
        try database.write { db in
            for difference in differences {
                digests += try Self.repair(difference, db)
            }
        } didCommit: {
            didRepair(digests)
        }
    }

    private static func repair(
        _ difference: RecountDifference, _ db: Database
    ) throws -> [(digest: UInt64, row: Int64)] {
        switch difference {
        case .missingRows, .unreadable, .unverified, .sameKey, .facts: break
        case .index:
            try db.execute(sql: "REINDEX")
        case .keyName(let id, let name):
            try db.execute(sql: "UPDATE postback SET key_name = ? WHERE id = ?", arguments: [name, id])
        case .digests(let id):
            return try repairDigests(id, db)
        case .block(let ids):
            return try ColumnBlock.rewrite(ColumnBlock.number(of: ids.lowerBound), db)
        case .strayColumns:
            try db.execute(
                sql: "DELETE FROM column_block WHERE id < 0 OR id >= ?",
                arguments: [ColumnBlock.firstID(of: ColumnBlock.number(of: try LedgerScan.newestRow(db) + 1))])
        case .deliveries(let quarter, let traffic, let recipient, let counted, let rows):
            // Others may have been recorded since, so what is missing is added.
            try db.execute(
                sql: """
                    INSERT INTO delivery VALUES (?, 'recorded', ?, '', ?, ?, ?)
                    ON CONFLICT DO UPDATE SET count = count + excluded.count, kept = count + excluded.count
                    """, arguments: [quarter, traffic, recipient, rows - counted, rows - counted])
        case .quarantineTotal(let kind):
            try db.execute(
                sql: """
                    INSERT INTO quarantine_total
                    SELECT :class, count(*), coalesce(sum(length(body)), 0) FROM quarantine WHERE class = :class
                    ON CONFLICT DO UPDATE SET count = excluded.count, bytes = excluded.bytes
                    """, arguments: ["class": kind])
        case .copyWithoutRow(let id):
            try db.execute(sql: "DELETE FROM recipient_copy WHERE id = ?", arguments: [id])
        }
        return []
    }

    private static func repairDigests(_ id: Int64, _ db: Database) throws -> [(digest: UInt64, row: Int64)] {
        let row = try Row.fetchOne(
            db, sql: "SELECT traffic, body FROM postback JOIN postback_body USING (id) WHERE id = ?", arguments: [id])
        guard let row, let postback = try? ReceivedPostback(reading: row.bytes(at: 1)) else {
            return []
        }
        let traffic: Traffic = try row.word(0)
        let digests = PostbackDigests(postback, provenance: traffic.provenance)
        try db.execute(
            sql: "UPDATE postback SET digest_version = ?, key_digest = ?, content_digest = ? WHERE id = ?",
            arguments: [PostbackDigests.version, Data(digests.key.bytes), Data(digests.content.bytes), id])
        return [(digests.key.high, id)]
    }
}

extension SQLiteLedgerWriter {
    /// Makes anew what is derived from the raw bytes, in small transactions between those that record.
    package func repair(judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> RecountRepair {
        let memory = memory
        let reader = try SQLiteLedgerReader(path)
        defer { reader.close() }
        let result = try await LedgerRepair(database: database, reader: reader) { memory.didRepair($0) }.run(judge)
        // Finds the tables that were made again.
        database.heartbeat()
        return result
    }
}
