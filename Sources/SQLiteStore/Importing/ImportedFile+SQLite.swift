import AttributionStore
import Foundation
import GRDB

extension ImportedFile {
    /// Notes how far it was read, within a transaction.
    func note(in db: Database, at now: Int64) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO imported_file (digest, bytes, records, imported_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (digest) DO UPDATE SET records = excluded.records, imported_at = excluded.imported_at
                """
        ).execute(arguments: [Data(digest), bytes, records, now])
    }

    /// Takes over how far another store read it, unless this one read further.
    func copy(into db: Database, at now: Int64) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO imported_file (digest, bytes, records, imported_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (digest) DO UPDATE SET records = max(records, excluded.records)
                """
        ).execute(arguments: [Data(digest), bytes, records, now])
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
