package import AttributionSigning
package import AttributionStore
import Dispatch

/// Changes to a store beside recording: judging the quarantine again, deleting from it, and repair.
///
/// One change runs at a time, on a thread of its own: each may block for minutes, and neither an event loop nor Swift's
/// pool may wait for it.
package actor StoreMaintenance {
    private let ledger: any LedgerWriting
    private let verifier: PostbackVerifier
    private let executor = OwnThread()

    /// Runs the actor's work on a queue of its own.
    private final class OwnThread: SerialExecutor {
        private let queue = DispatchQueue(label: "skan-maintenance")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async {
                job.runSynchronously(on: self.asUnownedSerialExecutor())
            }
        }
    }

    /// The thread that does the work.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Makes the changes of an owner.
    ///
    /// - Parameters:
    ///   - ledger: The owner of the store.
    ///   - verifier: Judges bodies, by the same rules as those received now.
    package init(ledger: any LedgerWriting, verifier: PostbackVerifier) {
        self.ledger = ledger
        self.verifier = verifier
    }

    /// Judges deliveries of the quarantine again; see ``AttributionStore/LedgerWriting/requeue(_:judge:)``.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func requeue(_ query: QuarantineQuery) throws -> Requeued {
        try ledger.requeue(query) { verifier.judge($0) }
    }

    /// Deletes deliveries from the quarantine for good; see ``AttributionStore/LedgerWriting/prune(_:)``.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func prune(_ query: QuarantineQuery) throws -> Int64 {
        try ledger.prune(query)
    }

    /// Reads everything again from the raw bytes and mends what follows from them.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func repair() async throws -> RecountRepair {
        let verifier = verifier
        return try await ledger.repair { verifier.judge($0) }
    }

    /// Reads everything again from the raw bytes and changes nothing.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func recount() async throws -> Recount {
        let verifier = verifier
        let reader = try ledger.makeReader()
        defer { reader.close() }
        return try await reader.recount { verifier.judge($0) }
    }
}
