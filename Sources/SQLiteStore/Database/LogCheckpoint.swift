import AttributionStore
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Checkpoints the write-ahead log on a connection and a thread of its own, so that commits do not wait for the disk.
///
/// Under continuous load such a checkpoint never moves everything, so SQLite would never reset the log. Therefore, after
/// the next commit, the writer itself moves the few pages added meanwhile, and the commit after that resets the log.
///
/// There is never more than one checkpoint, and none begins while SQLite may reset the log: SQLite 3.7.0 to 3.51.2 can
/// lose transactions if a second checkpoint begins just as a commit resets the log. A checkpoint is requested by a commit
/// that appended to the log, so part of the log is not in the store yet, and SQLite cannot reset it. Other processes only
/// read the store and never checkpoint.
///
/// - SeeAlso: [The WAL-reset bug](https://www.sqlite.org/wal.html#walresetbug)
final class LogCheckpoint: Sendable {
    /// The frames at which a checkpoint begins, 4 MiB.
    private static let threshold = 1_024
    /// The most frames that the writer moves while answers wait, 2 MiB.
    private static let writerLimit = 512
    /// The frames added before another attempt, after a reader kept the last one from moving everything.
    private static let retryInterval = 256
    /// After so many checkpoints in a row that left more than that, the writer moves the rest all the same: commits come
    /// faster than the disk moves them, and the log must not grow without bound.
    private static let passLimit = 8

    private enum Phase {
        case idle
        /// The second connection checkpoints.
        case moving
        /// So many frames are in the store, all there were when the checkpoint began.
        case moved(Int)
        case stopped
    }

    private struct State {
        var phase = Phase.idle
        var frames = 0
        var next = LogCheckpoint.threshold
        var passes = 0
        var hasFailed = false

        mutating func waitForMore() {
            phase = .idle
            passes = 0
            next = max(LogCheckpoint.threshold, frames + LogCheckpoint.retryInterval)
        }
    }

    private let state = Mutex(State())
    private let connection: DatabaseQueue
    private let queue = DispatchQueue(label: "skan-checkpoint")
    private let onFailure: @Sendable (StoreFault) -> Void

    /// Opens a connection, and replaces SQLite's automatic checkpoints on the writer.
    ///
    /// - Throws: SQLite's errors.
    init(
        path: String, _ configuration: Configuration, writer: Database,
        onFailure: @escaping @Sendable (StoreFault) -> Void
    ) throws {
        self.onFailure = onFailure
        connection = try DatabaseQueue(path: path, configuration: configuration)
        sqlite3_wal_hook(
            writer.sqliteConnection,
            { context, writer, _, frames in
                if let context {
                    Unmanaged<LogCheckpoint>.fromOpaque(context).takeUnretainedValue().didCommit(writer, Int(frames))
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The frames in the log as of the last commit.
    var frames: Int {
        state.withLock { $0.frames }
    }

    /// Prevents further checkpoints, without waiting for a running one.
    func stop() {
        state.withLock { $0.phase = .stopped }
    }

    /// Waits for a running checkpoint, and closes the connection.
    func close() throws {
        stop()
        try queue.sync { try connection.close() }
    }

    /// Checkpoints everything, empties the log, and prevents further checkpoints.
    ///
    /// - Returns: Why the log is still needed; nil if it is not.
    func finish(_ writer: Database) -> StoreFault? {
        stop()
        return queue.sync {
            var (inLog, moved): (CInt, CInt) = (0, 0)
            let code = sqlite3_wal_checkpoint_v2(
                writer.sqliteConnection, nil, SQLITE_CHECKPOINT_TRUNCATE, &inLog, &moved)
            guard code == SQLITE_OK else {
                return StoreFault(DatabaseError(resultCode: ResultCode(rawValue: code)))
            }
            return inLog == moved ? nil : .locked
        }
    }

    private func didCommit(_ writer: OpaquePointer?, _ frames: Int) {
        enum Turn { case nothing, background, writer }
        let turn = state.withLock { state in
            if frames <= state.frames {
                // This commit reset the log.
                state.passes = 0
                state.next = Self.threshold
            }
            state.frames = frames
            switch state.phase {
            case .idle where frames >= state.next:
                state.phase = .moving
                return Turn.background
            case .moved(let count) where frames - count <= Self.writerLimit || state.passes >= Self.passLimit:
                state.waitForMore()
                return .writer
            case .moved:
                state.passes += 1
                state.phase = .moving
                return .background
            case .idle, .moving, .stopped:
                return .nothing
            }
        }
        switch turn {
        case .nothing: break
        case .background: queue.async { [weak self] in self?.move() }
        case .writer: note(sqlite3_wal_checkpoint_v2(writer, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil))
        }
    }

    private func move() {
        guard case .moving = state.withLock({ $0.phase }) else {
            return
        }
        var isWhole = false
        var count = 0
        do {
            let result = try connection.writeWithoutTransaction { try $0.checkpoint(.passive) }
            isWhole = result.checkpointedFrameCount == result.walFrameCount
            count = result.checkpointedFrameCount
            note(SQLITE_OK)
        } catch {
            note((error as? DatabaseError)?.extendedResultCode.rawValue ?? SQLITE_ERROR)
        }
        state.withLock { state in
            guard case .moving = state.phase else {
                return
            }
            if isWhole {
                state.phase = .moved(count)
            } else {
                state.waitForMore()
            }
        }
    }

    /// Reports the first of consecutive failures; the log keeps everything, and a later commit tries again.
    private func note(_ code: CInt) {
        let failed = code != SQLITE_OK && code & 0xFF != SQLITE_BUSY
        let isNew = state.withLock { state in
            defer { state.hasFailed = failed }
            return failed && !state.hasFailed
        }
        if isNew {
            onFailure(StoreFault(DatabaseError(resultCode: ResultCode(rawValue: code))))
        }
    }
}
