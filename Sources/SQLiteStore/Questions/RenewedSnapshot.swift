import AttributionStore
import Foundation
package import GRDB

/// A transaction in which the blocks of columns are read, ended now and then so that the owner can reset the log.
///
/// While a transaction reads, the log only grows: by tens of megabytes in a second, if postbacks arrive quickly. All
/// of that has to be moved later, and a commit that makes the file longer takes several times as long as one that
/// overwrites it. Blocks do not change, except by a repair, so that those read later say what they said at first.
package final class RenewedSnapshot {
    /// The columns may have been repaired since the first block was read.
    package struct Outdated: Error {}

    private let db: Database
    private let owner: OwnerActivity
    private let repairCount: Int?
    private var framesSeen: Int
    private var isRenewed = false
    private var nextRenewal: ContinuousClock.Instant = .now

    /// The frames from which on the owner would reset the log.
    private static let longLog = CheckpointPlan.threshold
    /// How long it waits for that.
    ///
    /// Nothing resets a log while nothing is recorded, or while another program reads.
    private static let patience = Duration.milliseconds(200)

    /// Begins a transaction.
    ///
    /// - Parameters:
    ///   - db: A connection that is in no transaction.
    ///   - owner: What the owner of the store is doing. It is looked at first, because a transaction sees the store as of
    ///     its first statement.
    /// - Throws: SQLite's errors.
    package init(_ db: Database, of owner: OwnerActivity) throws {
        self.db = db
        self.owner = owner
        repairCount = owner.repairCount
        framesSeen = owner.framesInLog
        try db.beginTransaction(.deferred)
    }

    /// Begins another transaction if the owner waits for the end of this one, and the store is not being repaired; call it
    /// when no statement is running.
    ///
    /// - Throws: ``Outdated``, and SQLite's errors.
    package func renewIfLogIsLong() throws {
        try check()
        let frames = owner.framesInLog
        guard frames >= Self.longLog, frames != framesSeen, ContinuousClock.now >= nextRenewal,
            let repairCount, owner.repairCount == repairCount
        else {
            return
        }
        end()
        let start = ContinuousClock.now
        while owner.framesInLog >= Self.longLog, start.duration(to: .now) < Self.patience {
            usleep(1_000)
        }
        try db.beginTransaction(.deferred)
        isRenewed = true
        let now = ContinuousClock.now
        // It reads for longer than it waits.
        nextRenewal = now.advanced(by: start.duration(to: now) * 2)
        framesSeen = owner.framesInLog
        try check()
    }

    /// Whether what was read may be of different states of the store.
    package var isOutdated: Bool {
        isRenewed && owner.repairCount != repairCount
    }

    /// Returns if everything that was read is still as it was.
    ///
    /// - Throws: ``Outdated``.
    package func check() throws {
        if isOutdated {
            throw Outdated()
        }
    }

    /// Ends the transaction.
    package func end() {
        do {
            try db.commit()
        } catch {
            // After a damaged page SQLite fails to end even a transaction that only read; what was read stays.
            try? db.rollback()
        }
    }
}
