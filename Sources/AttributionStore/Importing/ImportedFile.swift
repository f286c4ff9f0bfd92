package import Attribution
import Foundation
import GRDB

/// A file that was imported, and how far: so that an import that was stopped goes on, and one that is repeated changes
/// nothing.
package struct ImportedFile: Hashable, Sendable {
    /// SHA-256 of its bytes.
    package let digest: [UInt8]
    /// How many bytes it has.
    package let bytes: Int64
    /// How many of its records were read.
    package var records: Int64

    /// Names a file.
    package init(digest: [UInt8], bytes: Int64, records: Int64) {
        self.digest = digest
        self.bytes = bytes
        self.records = records
    }

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

/// What became of a delivery that was imported.
package enum ImportedDelivery: Hashable, Sendable {
    /// It was recorded or kept, and counted.
    case made(Recording)
    /// It is the very delivery that is in the store: nothing was changed.
    case known
    /// It may be a postback of a version or key not known yet, and it could not be kept: there was no room, or that part of
    /// the store is damaged.
    case notKept
}
