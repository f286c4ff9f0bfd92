import AttributionStore
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Checkpoints the write-ahead log on a connection of its own, so that the writer does not wait for the disk.
///
/// Once the log is long, the second connection checkpoints it; after its next commit the writer checkpoints the few
/// pages added meanwhile. Then the log is complete in the store, and SQLite resets it. ``CheckpointPlan`` says whose
/// turn it is: what a report held back is moved by the second connection, too.
///
/// There is never more than one checkpoint, and none begins while SQLite may reset the log: SQLite 3.7.0 to 3.51.2 can
/// lose transactions if a second checkpoint begins just as a commit resets the log. Checkpoints here begin right after
/// or within a commit that appended to the log, so part of the log is not in the store yet, and SQLite cannot reset it.
/// Other processes only read the store and never checkpoint.
///
/// - SeeAlso: [The WAL-reset bug](https://www.sqlite.org/wal.html#walresetbug)
final class LogCheckpoint: Sendable {
    private struct State {
        var plan = CheckpointPlan()
        var hasFailed = false
        var log: WriteAheadLog?
        var verified: WriteAheadLog.Verified?
        /// The frames in the log when the second connection was to begin, until it does.
        var waiting: Int?
    }

    private let state = Mutex(State())
    /// Whether a checkpoint is running.
    private let isMoving = Atomic(false)
    private let connection: DatabaseQueue
    /// What uses the connection or checkpoints, one after the other.
    private let queue = DispatchQueue(label: "skan-checkpoint")
    private let thread = CheckpointThread()
    private let activity: OwnerActivity
    private let pauses = CheckpointPauses()
    private let report: @Sendable (Outcome) -> Void

    /// The result of a checkpoint.
    enum Outcome: Sendable {
        /// Everything committed is in the store.
        case complete
        /// It failed; reported once until one succeeds.
        case failed(StoreFault)
        /// The log is not what was written. Nothing was checkpointed, and nothing will be.
        case damaged
    }

    /// Opens a connection and replaces SQLite's automatic checkpoints on the writer.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - configuration: The configuration of the connection.
    ///   - writer: The writing connection. Its commit hook keeps an unretained reference to this object, which must
    ///     outlive the last commit.
    ///   - activity: Where the length of the log is noted.
    ///   - report: Called with each outcome, on any thread.
    /// - Throws: SQLite's errors.
    init(
        path: String,
        _ configuration: Configuration,
        writer: Database,
        _ activity: OwnerActivity,
        report: @escaping @Sendable (Outcome) -> Void
    ) throws {
        self.activity = activity
        self.report = report
        connection = try DatabaseQueue(path: path, configuration: configuration)
        try connection.writeWithoutTransaction { try PacedWrites.install(on: $0, pauses) }
        sqlite3_wal_hook(
            writer.sqliteConnection,
            { context, writer, name, pages in
                if let context {
                    Unmanaged<LogCheckpoint>.fromOpaque(context).takeUnretainedValue().didCommit(writer, name, pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        thread.end()
    }

    /// The frames in the log as of the last commit.
    var frames: Int {
        state.withLock { $0.plan.frames }
    }

    /// Sets the log; without it there are no checkpoints.
    func watch(_ log: WriteAheadLog) {
        state.withLock { $0.log = log }
    }

    /// Prevents further checkpoints, without waiting for a running one.
    func stop() {
        state.withLock { state in
            state.plan.stop()
            pauses.areOn = false
        }
    }

    /// Prevents further checkpoints, waits for a running one, and closes the connection.
    func close() throws {
        stop()
        thread.end()
        try queue.sync {
            try connection.close()
        }
    }

    /// Verifies the log and checkpoints all of it on the writing connection.
    ///
    /// - Parameters:
    ///   - mode: `SQLITE_CHECKPOINT_PASSIVE` does not wait for readers, `SQLITE_CHECKPOINT_TRUNCATE` leaves an empty
    ///     log.
    ///   - frames: The frames in the log.
    ///   - writer: The writing connection, outside a transaction.
    /// - Returns: The outcome.
    func moveAll(_ mode: CInt, frames: Int, _ writer: Database) -> Outcome {
        pauses.areOn = false
        return queue.sync {
            // A checkpoint already asked for comes first; afterwards it would not find the log that it was asked for.
            moveWaiting()
            guard let log = state.withLock({ $0.log }) else {
                return .failed(.other(code: 0))
            }
            guard frames == 0 || log.verify(frames: frames) != nil else {
                return .damaged
            }
            var (inLog, moved): (CInt, CInt) = (0, 0)
            let code = exclusively { sqlite3_wal_checkpoint_v2(writer.sqliteConnection, nil, mode, &inLog, &moved) }
            guard code == SQLITE_OK else {
                return .failed(StoreFault(DatabaseError(resultCode: ResultCode(rawValue: code))))
            }
            return inLog == moved ? .complete : .failed(.locked)
        }
    }

    private func didCommit(_ writer: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ pages: CInt) {
        activity.framesInLog = Int(pages)
        let turn = state.withLock { $0.plan.didCommit(frames: Int(pages), canBegin: $0.log != nil) }
        switch turn {
        case .nothing:
            break
        case .background:
            state.withLock { $0.waiting = Int(pages) }
            thread.run { [weak self] in
                guard let self else { return }
                queue.sync { self.moveWaiting() }
            }
        case .writer:
            guard verify(Int(pages)) else {
                return
            }
            var (inLog, moved): (CInt, CInt) = (0, 0)
            note(exclusively { sqlite3_wal_checkpoint_v2(writer, name, SQLITE_CHECKPOINT_PASSIVE, &inLog, &moved) })
            state.withLock { $0.plan.didMoveInWriter() }
            if inLog == moved {
                report(.complete)
            }
        }
    }

    /// Checkpoints on the second connection if it is to.
    private func moveWaiting() {
        if let frames = state.withLock({ $0.waiting.take() }) { move(frames) }
    }

    private func move(_ frames: Int) {
        state.withLock { pauses.areOn = $0.plan.isMoving && !$0.plan.isBehind }
        guard verify(frames, pauses), state.withLock({ $0.plan.isMoving }) else {
            return
        }
        do {
            let result = try exclusively { try connection.writeWithoutTransaction { try $0.checkpoint(.passive) } }
            note(SQLITE_OK)
            state.withLock {
                $0.plan.didMoveInBackground(result.checkpointedFrameCount, of: result.walFrameCount)
            }
        } catch {
            note((error as? DatabaseError)?.extendedResultCode.rawValue ?? SQLITE_ERROR)
            state.withLock { $0.plan.didFail() }
        }
    }

    /// Runs a checkpoint; traps if another one is running, because two at a time could lose commits.
    private func exclusively<Result>(_ checkpoint: () throws -> Result) rethrows -> Result {
        precondition(!isMoving.exchange(true, ordering: .acquiring), "A second checkpoint began while one was running.")
        defer { isMoving.store(false, ordering: .releasing) }
        return try checkpoint()
    }

    /// Verifies the frames that were not verified before.
    private func verify(_ frames: Int, _ pauses: CheckpointPauses? = nil) -> Bool {
        let (log, earlier) = state.withLock { ($0.log, $0.verified) }
        let verified = log?.verify(frames: frames, after: earlier, pauses)
        state.withLock { state in
            state.verified = verified
            if verified == nil {
                state.plan.stop()
            }
        }
        if verified == nil {
            report(.damaged)
        }
        return verified != nil
    }

    /// Reports the first of consecutive failures; the log keeps everything, and a later commit tries again.
    private func note(_ code: CInt) {
        let failed = code != SQLITE_OK && code & 0xFF != SQLITE_BUSY
        let isNew = state.withLock { state in
            defer { state.hasFailed = failed }
            return failed && !state.hasFailed
        }
        if isNew {
            report(.failed(StoreFault(DatabaseError(resultCode: ResultCode(rawValue: code)))))
        }
    }
}
