import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Moves what was committed from the log into the store beside the writer, who would have to wait for the disk.
///
/// When the log has grown long, another connection moves what is in it; the writer moves the few pages that were added
/// meanwhile, after its next commit. Then everything is moved, and the log is written from its beginning again.
final class LogCheckpoint: Sendable {
    private enum State {
        case idle
        case moving
        /// All that was there at the start is moved.
        case moved
    }

    private let state = Mutex(State.idle)
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
    /// - Throws: What SQLite reports.
    init(path: String, _ configuration: Configuration, writer: Database) throws {
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
            switch state {
            case .idle where pages >= Self.longLog:
                state = .moving
                return (true, false)
            case .moved:
                state = .idle
                return (false, true)
            case .idle, .moving:
                return (false, false)
            }
        }
        if begins {
            queue.async { self.move() }
        } else if ends {
            // A failure is no loss: everything stays in the log, and the next commit tries again.
            sqlite3_wal_checkpoint_v2(writer, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
    }

    private func move() {
        _ = try? connection.writeWithoutTransaction { try $0.checkpoint(.passive) }
        state.withLock { $0 = .moved }
    }
}
