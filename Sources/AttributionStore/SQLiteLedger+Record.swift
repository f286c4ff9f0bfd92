public import Attribution
import GRDB

extension SQLiteLedger {
    /// Records a batch in one transaction; see ``PostbackLedger/record(_:)``.
    public func record(_ deliveries: [Delivery]) async throws -> [Recording] {
        guard !deliveries.isEmpty else {
            return []
        }
        return try await database.writeWithoutTransaction { try record(deliveries, $0) }
    }

    /// Records a batch in one transaction; see ``PostbackLedger/recordBlocking(_:)``.
    public func recordBlocking(_ deliveries: [Delivery]) throws -> [Recording] {
        guard !deliveries.isEmpty else {
            return []
        }
        return try database.writeWithoutTransaction { try record(deliveries, $0) }
    }

    /// The transaction, begun and ended by statements that stay prepared: hundreds of them a second add up.
    private func record(_ deliveries: [Delivery], _ db: Database) throws -> [Recording] {
        guard let memory else {
            throw StoreError.openedForReading
        }
        try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        do {
            var batch = try RecordingBatch(db, bounds: bounds, memory: memory)
            let recordings = try deliveries.map { try batch.record($0) }
            try batch.finish(tallyInterval: tallyInterval)
            try db.cachedStatement(sql: "COMMIT").execute()
            batch.didCommit()
            return recordings
        } catch {
            // SQLite ended some by itself, as with a full disk.
            if db.isInsideTransaction {
                try db.rollback()
            }
            throw error
        }
    }
}
