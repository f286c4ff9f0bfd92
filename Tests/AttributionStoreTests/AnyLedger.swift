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

/// A store, of whatever kind, that another one is copied into.
struct TargetLedger: Sendable {
    let target: any LedgerCopyTarget
    let writer: any LedgerImporting
    let reader: any LedgerCopySource

    /// Copies a store that has stopped into it.
    @discardableResult
    func copy(_ source: any LedgerCopySource, _ postbacks: Postbacks) async throws -> LedgerCopier.Summary {
        let verifier = postbacks.verifier
        return try await LedgerCopier(from: source, to: target) { verifier.judge($0) }.run(isStopped: true)
    }

    /// The bodies in quarantine.
    func quarantine() async throws -> [String] {
        try await reader.quarantine(QuarantineQuery(limit: 10_000)).map { String(decoding: $0.body, as: UTF8.self) }
    }
}
