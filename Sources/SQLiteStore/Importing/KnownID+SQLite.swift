import AttributionStore
import Foundation
import GRDB

extension KnownID {
    /// Whether it was claimed.
    func isClaimed(in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM known_id WHERE digest = ?)"),
            arguments: [Data(digest.bytes)]) ?? false
    }

    /// Claims it.
    ///
    /// - Returns: Whether it was not claimed before.
    func claim(in db: Database) throws -> Bool {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO known_id VALUES (?)")
            .execute(arguments: [Data(digest.bytes)])
        return db.changesCount > 0
    }
}
