package import Attribution
package import AttributionStore
import GRDB

extension SQLiteLedgerReader {
    /// Recounts everything from the raw bytes, in one snapshot, without changes.
    ///
    /// - Parameter judge: Parses and verifies bodies.
    /// - Returns: What was read, and the differences from what is stored.
    /// - Throws: ``AttributionStore/StoreError``, such as ``AttributionStore/StoreError/beyondRecount(path:)``.
    package func recount(judge: @escaping @Sendable ([[UInt8]]) -> [Judgement]) async throws -> Recount {
        try await StoreError.namingDamageBeyondRecount {
            try await read { db in
                try RecountPass(db, judge: judge).run()
            }
        }
    }
}

extension StoreError {
    /// Recounts or repairs, and says of damage that ends it that another recount does not help.
    ///
    /// - Throws: What `work` throws, or ``AttributionStore/StoreError/beyondRecount(path:)``.
    static func namingDamageBeyondRecount<Result: Sendable>(
        _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch StoreError.failed(let path, .damaged) {
            throw StoreError.beyondRecount(path: path)
        }
    }
}
