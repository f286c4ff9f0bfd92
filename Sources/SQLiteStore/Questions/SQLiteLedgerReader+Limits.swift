import AttributionStore
import GRDB
import Synchronization

extension SQLiteLedgerReader {
    /// Reads in one snapshot, within limits; cancelling the task ends the work.
    ///
    /// - Throws: ``AttributionStore/LedgerQuestionError/deadlinePassed(_:)``, `CancellationError`, and what the work throws.
    func read<Result: Sendable>(
        _ limits: LedgerLimits,
        _ work: @escaping @Sendable (Database, AnswerCheck) throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        let isCancelled = CancelFlag()
        return try await withTaskCancellationHandler {
            try await read(inBackground: limits.isBackground) { db in
                let check = AnswerCheck(limits, since: start) {
                    if isCancelled.isSet {
                        throw CancellationError()
                    }
                }
                try check()
                return try db.checking(check) { try work(db, check) }
            }
        } onCancel: {
            isCancelled.set()
        }
    }
}

/// Whether the task was cancelled, for its work on another thread.
private final class CancelFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool {
        flag.load(ordering: .relaxed)
    }

    func set() {
        flag.store(true, ordering: .relaxed)
    }
}
