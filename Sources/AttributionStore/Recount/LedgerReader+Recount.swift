package import Attribution
import GRDB

extension LedgerReader {
    /// Reads everything again from the raw bytes, in one snapshot, and changes nothing.
    ///
    /// - Parameter judge: Reads and verifies bodies.
    /// - Returns: What was read and how it differs.
    /// - Throws: ``StoreError``.
    package func recount(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> Recount {
        try await read { db in
            try RecountPass(db, judge: judge).run()
        }
    }
}
