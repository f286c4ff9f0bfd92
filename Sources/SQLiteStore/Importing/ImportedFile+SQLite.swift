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
}
