import Attribution
import AttributionSigning
import AttributionStore
import SQLiteStore

/// An owner of a store, and a reader of it.
final class OpenLedger: Sendable {
    let writer: SQLiteLedgerWriter
    let reader: SQLiteLedgerReader

    init(
        _ path: String,
        networks: OwnNetworks = OwnNetworks(),
        budgets: QuarantineBudgets = QuarantineBudgets(),
        now: (@Sendable () -> Int64)? = nil,
        onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws {
        writer = try SQLiteLedgerWriter(
            path: path, settings: LedgerSettings(networks: networks, budgets: budgets),
            now: now, onEvent: onEvent)
        reader = try SQLiteLedgerReader(path)
    }

    func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        try writer.record(deliveries)
    }

    func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        try await reader.answer(question)
    }

    func rows(_ dimensions: [ReportDimension], _ traffic: Traffic = .test) async throws -> [LedgerRow] {
        Array(try await answer(LedgerQuestion(dimensions: dimensions, traffic: traffic)).rows)
    }

    func totals(_ traffic: Traffic = .test) async throws -> Counts {
        try await answer(LedgerQuestion(traffic: traffic)).totals
    }

    func deliveries(received: Range<Int64>? = nil) async throws -> DeliveryCounts {
        try await answer(LedgerQuestion(received: received)).deliveries
    }

    func recount(_ verifier: PostbackVerifier) async throws -> Recount {
        try await reader.recount { verifier.judge($0) }
    }

    func differences(_ verifier: PostbackVerifier) async throws -> [String] {
        try await recount(verifier).differences.map(\.description)
    }

    /// The differences that a repair found, and whether it repaired all of them.
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
