package import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// Recounts everything from the raw bytes, in one snapshot, without changes.
    ///
    /// - Parameter judge: Parses and verifies bodies.
    /// - Returns: What was read, and the differences from what is stored.
    /// - Throws: ``AttributionStore/StoreError``.
    package func recount(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> Recount {
        try await read { db in
            try RecountPass(db, judge: judge).run()
        }
    }
}
