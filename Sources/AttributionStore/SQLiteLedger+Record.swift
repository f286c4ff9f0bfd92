public import Attribution
import GRDB

extension SQLiteLedger {
    /// Records a batch in one transaction; see ``PostbackLedger/record(_:)``.
    public func record(_ deliveries: [Delivery]) async throws -> [Recording] {
        guard !deliveries.isEmpty else {
            return []
        }
        return try await database.write { try record(deliveries, $0) }
    }

    /// Records a batch in one transaction; see ``PostbackLedger/recordBlocking(_:)``.
    public func recordBlocking(_ deliveries: [Delivery]) throws -> [Recording] {
        guard !deliveries.isEmpty else {
            return []
        }
        return try database.write { try record(deliveries, $0) }
    }

    private func record(_ deliveries: [Delivery], _ db: Database) throws -> [Recording] {
        guard let memory else {
            throw StoreError.openedForReading
        }
        var batch = try RecordingBatch(db, bounds: bounds, memory: memory)
        let recordings = try deliveries.map { try batch.record($0) }
        try batch.finish(tallyInterval: tallyInterval)
        return recordings
    }
}
