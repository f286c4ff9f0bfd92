package import Attribution
package import AttributionSigning
package import AttributionStore
import Dispatch

/// Maintenance of a store while it records: requeuing and pruning the quarantine, figures of ads, recount and repair.
///
/// Tasks run one at a time on a queue of their own, because each may block for minutes and must block neither an event
/// loop nor Swift's thread pool.
package actor StoreMaintenance {
    private let ledger: any LedgerWriting
    private let verifier: PostbackVerifier
    private let executor = QueueExecutor()

    /// Runs the actor's jobs on a serial queue.
    private final class QueueExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "skan-maintenance")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async {
                job.runSynchronously(on: self.asUnownedSerialExecutor())
            }
        }
    }

    /// The queue that runs the actor's jobs.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    package init(ledger: any LedgerWriting, verifier: PostbackVerifier) {
        self.ledger = ledger
        self.verifier = verifier
    }

    /// Judges deliveries of the quarantine again; see ``AttributionStore/LedgerWriting/requeue(_:judge:)``.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func requeue(_ query: QuarantineQuery) async throws -> Requeued {
        let reader = try ledger.makeReader()
        defer { reader.close() }
        let verifier = try await verifier.remembering(reader)
        return try ledger.requeue(query) { verifier.judge($0) }
    }

    /// Deletes deliveries from the quarantine for good; see ``AttributionStore/LedgerWriting/prune(_:)``.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func prune(_ query: QuarantineQuery) throws -> Int64 {
        try ledger.prune(query)
    }

    /// Takes lines of signed impressions; see ``AttributionStore/AdCostWriting/addSigned(_:of:)``.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func addSigned(_ lines: [SignedImpressionCount], of ads: AdTraffic) throws -> Int {
        try ledger.addSigned(lines, of: ads)
    }

    /// Records spend; see ``AttributionStore/AdCostWriting/recordSpend(_:of:replaces:)``.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func recordSpend(_ spend: [Spend], of ads: AdTraffic, replaces: Bool) throws -> SpendRecording {
        try ledger.recordSpend(spend, of: ads, replaces: replaces)
    }

    /// Recounts everything from the raw bytes and repairs what can be derived from them.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func repair() async throws -> RecountRepair {
        let reader = try ledger.makeReader()
        defer { reader.close() }
        let verifier = try await verifier.remembering(reader)
        return try await ledger.repair { verifier.judge($0) }
    }

    /// Recounts everything from the raw bytes, without changes.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func recount() async throws -> Recount {
        let reader = try ledger.makeReader()
        defer { reader.close() }
        let verifier = try await verifier.remembering(reader)
        return try await reader.recount { verifier.judge($0) }
    }
}

extension PostbackVerifier {
    /// A verifier that also has the keys that a store remembers, so that history is valid without the operator's file.
    package func remembering(_ reader: any LedgerReading) async throws -> PostbackVerifier {
        try remembering(try await reader.appleKeys())
    }
}
