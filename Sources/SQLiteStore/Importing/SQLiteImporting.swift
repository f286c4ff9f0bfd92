package import Attribution
package import AttributionStore
import Foundation
import GRDB

extension SQLiteLedgerWriter: LedgerImporting {
    /// Records deliveries of the past, as ``AttributionStore/LedgerImporting`` has it.
    package func record(_ deliveries: [Delivery], importing file: ImportedFile?) throws -> [ImportedDelivery] {
        try batch { db in
            try PreparedDelivery.prepare(deliveries, db, memory)
        } work: { batch, prepared in
            let imported = try prepared.map { prepared in
                if batch.isRecorded(prepared) {
                    return ImportedDelivery.known
                }
                return try batch.record(prepared).map { .made($0) } ?? .notKept
            }
            try file?.note(in: batch.db)
            try batch.noteImported()
            return imported
        }
    }

    /// How far files were read, as ``AttributionStore/LedgerImporting`` has it.
    package func importedFiles(upTo bytes: Int64) throws -> [ImportedFile] {
        try database.write { try ImportedFile.all($0, upTo: bytes) }
    }

    /// Claims ids, as ``AttributionStore/LedgerImporting`` has it.
    package func claim(_ ids: [KnownID]) throws -> Int {
        let count = try database.write { db in
            try ids.count { try $0.claim(in: db) }
        } didCommit: {
            memory.didClaim()
        }
        return count
    }
}

extension ImportedFile {
    /// Notes how far it was read, within a transaction.
    func note(in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO imported_file (digest, bytes, records) VALUES (?, ?, ?)
                ON CONFLICT (digest) DO UPDATE SET records = excluded.records
                """
        ).execute(arguments: [Data(digest), bytes, records])
    }

    /// The files of at most some size, the smallest first.
    static func all(_ db: Database, upTo bytes: Int64) throws -> [ImportedFile] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT digest, bytes, records FROM imported_file WHERE bytes <= ? ORDER BY bytes",
            arguments: [bytes])
        return rows.compactMap { row in
            guard let digest = try? row.bytes(at: 0), let bytes = try? row.integer(1),
                let records = try? row.integer(2)
            else {
                return nil
            }
            return ImportedFile(digest: digest, bytes: bytes, records: records)
        }
    }
}

extension KnownID {
    /// Whether it was claimed.
    func isClaimed(in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM known_id WHERE digest = ?)"),
            arguments: [Data(digest.bytes)]) ?? false
    }

    func claim(in db: Database) throws -> Bool {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO known_id VALUES (?)")
            .execute(arguments: [Data(digest.bytes)])
        return db.changesCount > 0
    }
}
