import Attribution
import AttributionSigning
import AttributionStore

/// An owner of a store, and a reader of it.
final class OpenLedger: Sendable {
    let writer: LedgerWriter
    let reader: LedgerReader

    init(
        _ path: String,
        networks: OwnNetworks = OwnNetworks(),
        budgets: QuarantineBudgets = QuarantineBudgets(),
        tallyInterval: Int = 16_384,
        now: (@Sendable () -> Int64)? = nil,
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws {
        writer = try LedgerWriter(
            path: path, settings: LedgerSettings(networks: networks, budgets: budgets, tallyInterval: tallyInterval),
            now: now, onEvent: onEvent)
        reader = try LedgerReader(path)
    }

    func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        try writer.record(deliveries)
    }

    func tallies(_ query: TallyQuery) async throws -> [TallyRow] {
        try await reader.tallies(query)
    }

    func deliveries(received: Range<Int64>? = nil) async throws -> DeliveryCounts {
        try await reader.deliveries(received: received)
    }

    func recount(_ verifier: PostbackVerifier) async throws -> Recount {
        try await reader.recount { verifier.judge($0) }
    }

    func differences(_ verifier: PostbackVerifier) async throws -> [String] {
        try await recount(verifier).differences.map(\.description)
    }

    /// What a repair found, and whether it left nothing.
    func repair(_ verifier: PostbackVerifier) async throws -> (found: [String], isWhole: Bool) {
        let repair = try await writer.repair { verifier.judge($0) }
        return (repair.found.differences.map(\.description), repair.remaining.differenceCount == 0)
    }

    /// Closes both.
    @discardableResult
    func close() throws -> StoreEnding {
        reader.close()
        return try writer.close()
    }
}
