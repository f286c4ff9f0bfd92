public import Attribution
import GRDB

extension SQLiteLedger {
    /// Records a batch in one transaction; see ``PostbackLedger/record(_:)``.
    public func record(_ deliveries: [Delivery]) async throws -> [Recording] {
        guard !deliveries.isEmpty else {
            return []
        }
        guard let memory else {
            throw StoreError.openedForReading
        }
        return try await database.write { [bounds, tallyInterval] db in
            var batch = try RecordingBatch(db, bounds: bounds, memory: memory)
            let recordings = try deliveries.map { try batch.record($0) }
            try batch.finish(tallyInterval: tallyInterval)
            return recordings
        }
    }
}
