import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Moves what was committed from the log into the store beside the writer, who would have to wait for the disk.
///
/// When the log has grown long, another connection moves what is in it; the writer moves the few pages that were added
/// meanwhile, after its next commit. Then everything is moved, and the log is written from its beginning again.
///
/// There is never more than one checkpoint, and none begins while the log can be begun again: SQLite 3.7.0 to 3.51.2 lose
/// transactions where a second checkpoint begins at the moment at which a commit does that. A checkpoint of ours begins
/// right after a commit that made the log longer, or within one; so not everything is moved then, and only when
/// everything is moved can the log be begun again. Other processes open the store for reading alone, and so move nothing.
///
/// - SeeAlso: [The WAL-reset bug](https://www.sqlite.org/wal.html#walresetbug)
final class LogCheckpoint: Sendable {
    private enum Phase {
        case idle
        case moving
        /// All that was there at the start is moved.
        case moved
        /// Nothing may be moved any more.
        case over
    }

    private struct State {
        var phase = Phase.idle
        var hasFailed = false
        /// The frames in the log as of the last commit.
        var frames = 0
        var log: WriteAheadLog?
        var verified: WriteAheadLog.Verified?
    }

    private let state = Mutex(State())
    /// Whether a checkpoint is under way; there is never a second one.
    private let isMoving = Atomic(false)
    private let connection: DatabaseQueue
    private let queue = DispatchQueue(label: "skan-checkpoint")
    private let report: @Sendable (Outcome) -> Void

    /// What became of a checkpoint.
    enum Outcome: Sendable {
        /// Everything committed is in the store.
        case complete
        /// It failed; told once until one succeeds.
        case failed(StoreFault)
        /// The log is not what was written: nothing was moved, and nothing may be any more.
        case damaged
    }

    /// Frames of the log from which on it is moved, 4 MiB.
    ///
    /// More at a time would mean less writing, but commits wait behind it for the disk: with 16 MiB long enough for one
    /// answer in a hundred to take twice as long.
    private static let longLog = 1_024

    /// Makes a connection of its own and takes the place of SQLite's own checkpoints on the writer's.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - configuration: How its connections are set up.
    ///   - writer: The writing connection, which calls this object at each commit: nothing may be written any more when
    ///     it is gone.
    ///   - report: Told of each outcome, on any thread.
    /// - Throws: What SQLite reports.
    init(
        path: String,
        _ configuration: Configuration,
        writer: Database,
        report: @escaping @Sendable (Outcome) -> Void
    ) throws {
        self.report = report
        connection = try DatabaseQueue(path: path, configuration: configuration)
        sqlite3_wal_hook(
            writer.sqliteConnection,
            { context, writer, name, pages in
                if let context {
                    Unmanaged<LogCheckpoint>.fromOpaque(context).takeUnretainedValue().didCommit(writer, name, pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The frames in the log as of the last commit.
    var frames: Int {
        state.withLock { $0.frames }
    }

    /// Names the log, without which nothing is moved.
    func watch(_ log: WriteAheadLog) {
        state.withLock { $0.log = log }
    }

    /// Moves nothing any more; what is being moved now is not waited for.
    func stop() {
        state.withLock { $0.phase = .over }
    }

    /// Waits for what is being moved, moves nothing any more, and closes the connection.
    func close() throws {
        stop()
        try queue.sync {
            try connection.close()
        }
    }

    /// Moves everything on the writer's own connection, and nothing unless the log is what was written.
    ///
    /// - Parameters:
    ///   - mode: `SQLITE_CHECKPOINT_PASSIVE` waits for nobody, `SQLITE_CHECKPOINT_TRUNCATE` leaves an empty log.
    ///   - frames: The frames in the log.
    ///   - writer: The writing connection, outside a transaction.
    /// - Returns: What became of it.
    func moveAll(_ mode: CInt, frames: Int, _ writer: Database) -> Outcome {
        queue.sync {
            guard let log = state.withLock({ $0.log }) else {
                return .failed(.other(code: 0))
            }
            guard frames == 0 || log.verify(frames: frames) != nil else {
                return .damaged
            }
            var (inLog, moved): (CInt, CInt) = (0, 0)
            let code = alone { sqlite3_wal_checkpoint_v2(writer.sqliteConnection, nil, mode, &inLog, &moved) }
            guard code == SQLITE_OK else {
                return .failed(StoreFault(DatabaseError(resultCode: ResultCode(rawValue: code))))
            }
            return inLog == moved ? .complete : .failed(.locked)
        }
    }

    private func didCommit(_ writer: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ pages: CInt) {
        let (begins, ends) = state.withLock { state in
            state.frames = Int(pages)
            switch state.phase {
            case .idle where Int(pages) >= Self.longLog && state.log != nil:
                state.phase = .moving
                return (true, false)
            case .moved:
                state.phase = .idle
                return (false, true)
            case .idle, .moving, .over:
                return (false, false)
            }
        }
        if begins {
            queue.async { self.move(Int(pages)) }
        } else if ends, verify(Int(pages)) {
            var (inLog, moved): (CInt, CInt) = (0, 0)
            note(alone { sqlite3_wal_checkpoint_v2(writer, name, SQLITE_CHECKPOINT_PASSIVE, &inLog, &moved) })
            if inLog == moved {
                report(.complete)
            }
        }
    }

    private func move(_ frames: Int) {
        if verify(frames), isStillMoving {
            do {
                _ = try alone { try connection.writeWithoutTransaction { try $0.checkpoint(.passive) } }
                note(SQLITE_OK)
            } catch {
                note((error as? DatabaseError)?.extendedResultCode.rawValue ?? SQLITE_ERROR)
            }
        }
        state.withLock { state in
            if case .moving = state.phase {
                state.phase = .moved
            }
        }
    }

    private var isStillMoving: Bool {
        state.withLock { state in
            if case .moving = state.phase { true } else { false }
        }
    }

    /// Does a checkpoint.
    ///
    /// Two at a time could lose what was committed, and so end the process instead.
    private func alone<Result>(_ checkpoint: () throws -> Result) rethrows -> Result {
        precondition(!isMoving.exchange(true, ordering: .acquiring), "A second checkpoint began beside the first.")
        defer { isMoving.store(false, ordering: .releasing) }
        return try checkpoint()
    }

    /// Whether the log is what was written; what was verified for this log already is not read again.
    private func verify(_ frames: Int) -> Bool {
        let (log, earlier) = state.withLock { ($0.log, $0.verified) }
        let verified = log?.verify(frames: frames, after: earlier)
        state.withLock { state in
            state.verified = verified
            if verified == nil {
                state.phase = .over
            }
        }
        if verified == nil {
            report(.damaged)
        }
        return verified != nil
    }

    /// Tells of a failure that follows no other; everything stays in the log, and a later commit tries again.
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
