import Attribution
import AttributionSigning
import AttributionStore

/// A writer and a reader of one store, of whatever kind.
struct AnyLedger: Sendable {
    let writer: any LedgerWriting
    let reader: any LedgerReading

    func record(_ deliveries: [Delivery]) throws -> [Recording?] {
        try writer.record(deliveries)
    }

    func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        try await reader.answer(question)
    }

    func totals(_ traffic: Traffic = .test) async throws -> Counts {
        try await answer(LedgerQuestion(traffic: traffic)).totals
    }

    func differences(_ verifier: PostbackVerifier) async throws -> [String] {
        try await reader.recount { verifier.judge($0) }.differences.map(\.description)
    }

    /// Closes both.
    func close() throws {
        reader.close()
        try writer.close()
    }
}
