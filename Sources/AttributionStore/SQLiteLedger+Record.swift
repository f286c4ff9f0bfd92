public import Attribution
import GRDB

extension SQLiteLedger {
    /// Records a batch in one transaction; see ``PostbackLedger/record(_:)``.
    public func record(_ deliveries: [Delivery]) async throws -> [Recording] {
        guard !deliveries.isEmpty else {
            return []
        }
        guard let index else {
            throw StoreError.openedForReading
        }
        return try await database.write { [bounds] db in
            var batch = try RecordingBatch(db, bounds: bounds, index: index)
            let recordings = try deliveries.map { try batch.record($0) }
            try batch.finish()
            return recordings
        }
    }
}
