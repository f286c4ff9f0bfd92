import AttributionStore
import GRDB
import Synchronization

extension SQLiteLedgerReader {
    /// Reads in one snapshot, within limits; cancelling the task ends the work.
    ///
    /// - Parameters:
    ///   - limits: The limits; that of cells is left to the work.
    ///   - start: When the question was asked.
    ///   - work: Reads, and calls the check now and then; within a long statement SQLite does.
    /// - Returns: What the work returns.
    /// - Throws: ``AttributionStore/LedgerQuestionError/deadlinePassed(_:)``, `CancellationError`, and what the work throws.
    func read<Result: Sendable>(
        _ limits: LedgerLimits,
        since start: ContinuousClock.Instant = .now,
        _ work: @escaping @Sendable (Database, AnswerCheck) throws -> Result
    ) async throws -> Result {
        try await within(limits, since: start) { watched in
            try await self.read(inBackground: limits.isBackground) { db in try watched(db) { try work(db, $0) } }
        }
    }

    /// Reads blocks of columns in the background, in the process of the store's owner: in several snapshots, so that the
    /// owner can reset the log.
    ///
    /// - Parameters:
    ///   - limits: As for one snapshot.
    ///   - start: When the question was asked.
    ///   - owner: What the owner is doing.
    ///   - work: Reads, and renews the snapshot now and then.
    /// - Returns: What the work returns; nil if the store was repaired meanwhile, so that it may be wrong.
    /// - Throws: As for one snapshot.
    func readRenewing<Result: Sendable>(
        _ limits: LedgerLimits,
        since start: ContinuousClock.Instant,
        beside owner: OwnerActivity,
        _ work: @escaping @Sendable (Database, RenewedSnapshot, AnswerCheck) throws -> Result
    ) async throws -> Result? {
        try await within(limits, since: start) { watched in
            try await self.inBackground { pool in
                try pool.unsafeRead { db in
                    let snapshot = try RenewedSnapshot(db, of: owner)
                    defer { snapshot.end() }
                    do {
                        return try StoreError.namingMissingTable(self.path, db) { db in
                            try watched(db) { check in
                                let result = try work(db, snapshot, check)
                                try snapshot.check()
                                return result
                            }
                        }
                    } catch  where snapshot.isOutdated {
                        // Perhaps only because of that. Whoever gave up waiting has done so for the next attempt, too.
                        return nil
                    }
                }
            }
        }
    }

    /// Calls a closure with one that reads within limits.
    private func within<Result: Sendable>(
        _ limits: LedgerLimits,
        since start: ContinuousClock.Instant,
        _ body: (@escaping @Sendable (Database, (AnswerCheck) throws -> Result) throws -> Result) async throws -> Result
    ) async throws -> Result {
        let isCancelled = CancelFlag()
        return try await withTaskCancellationHandler {
            try await body { db, work in
                let check = AnswerCheck(limits, since: start) {
                    if isCancelled.isSet {
                        throw CancellationError()
                    }
                }
                try check()
                return try db.checking(check) { try work(check) }
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
