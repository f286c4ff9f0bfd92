import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Moves what was committed from the log into the store beside the writer, who would have to wait for the disk.
///
/// When the log has grown long, another connection moves what is in it; the writer moves the few pages that were added
/// meanwhile, after its next commit. Then everything is moved, and the log is written from its beginning again.
final class LogCheckpoint: Sendable {
    private enum Phase {
        case idle
        case moving
        /// All that was there at the start is moved.
        case moved
    }

    private struct State {
        var phase = Phase.idle
        var hasFailed = false
    }

    private let state = Mutex(State())
    private let onFailure: @Sendable (String) -> Void
    private let connection: DatabaseQueue
    private let queue = DispatchQueue(label: "skan-checkpoint")

    /// Pages of the log from which on it is moved: 16 MiB, so that the ends of the tables are written once instead of
    /// often.
    private static let longLog: CInt = 4_096

    /// Makes a connection of its own and takes the place of SQLite's own checkpoints on the writer's.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - configuration: How its connections are set up.
    ///   - writer: The writing connection, which calls this object at each commit: nothing may be written any more when
    ///     it is gone.
    ///   - onFailure: Told why nothing can be moved, once until something can be again.
    /// - Throws: What SQLite reports.
    init(
        path: String,
        _ configuration: Configuration,
        writer: Database,
        onFailure: @escaping @Sendable (String) -> Void
    ) throws {
        self.onFailure = onFailure
        connection = try DatabaseQueue(path: path, configuration: configuration)
        try connection.writeWithoutTransaction { db in
            // The store's pages are on the disk before the log is written over.
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        sqlite3_wal_hook(
            writer.sqliteConnection,
            { context, writer, name, pages in
                if let context {
                    Unmanaged<LogCheckpoint>.fromOpaque(context).takeUnretainedValue().didCommit(writer, name, pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Waits for what is being moved, and closes the connection.
    ///
    /// - Throws: What SQLite reports.
    func close() throws {
        try queue.sync {
            try connection.close()
        }
    }

    private func didCommit(_ writer: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ pages: CInt) {
        let (begins, ends) = state.withLock { state in
            switch state.phase {
            case .idle where pages >= Self.longLog:
                state.phase = .moving
                return (true, false)
            case .moved:
                state.phase = .idle
                return (false, true)
            case .idle, .moving:
                return (false, false)
            }
        }
        if begins {
            queue.async { self.move() }
        } else if ends {
            // A failure is no loss: everything stays in the log, and a later commit tries again.
            let result = sqlite3_wal_checkpoint_v2(writer, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            note(result == SQLITE_OK || result == SQLITE_BUSY ? nil : String(cString: sqlite3_errstr(result)))
        }
    }

    private func move() {
        do {
            _ = try connection.writeWithoutTransaction { try $0.checkpoint(.passive) }
            note(nil)
        } catch {
            note("\(error)")
        }
        state.withLock { $0.phase = .moved }
    }

    /// Tells of a failure that follows no other.
    private func note(_ failure: String?) {
        let isNew = state.withLock { state in
            defer { state.hasFailed = failure != nil }
            return failure != nil && !state.hasFailed
        }
        if isNew, let failure {
            onFailure(failure)
        }
    }
}
