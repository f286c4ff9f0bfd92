import GRDB
import GRDBSQLite

/// Syncs what a checkpoint writes to the store in pieces, so that no commit waits until the disk has all of it.
///
/// SQLite writes the pages of the whole log and syncs them once. A commit meanwhile syncs the log, and waits for what
/// the disk was given before: four megabytes in each checkpoint, and tens of them after a long report.
struct PacedWrites {
    private typealias Store = OpenFile<PacedWrites>

    /// How much is written between two syncs.
    private static let piece = 256 << 10

    private var unsynced = 0

    /// Syncs what a connection writes, piece by piece, until it is closed.
    ///
    /// - Parameter db: A connection that only checkpoints, outside a transaction.
    /// - Throws: SQLite's errors.
    static func install(on db: Database) throws {
        try Store.replaceMethods(of: SQLITE_FCNTL_FILE_POINTER, on: db, PacedWrites()) { methods in
            methods.xWrite = { PacedWrites.write($0, $1, $2, $3) }
            methods.xClose = { Store.close($0) }
        }
    }

    private static func write(
        _ file: Store.Handle?, _ bytes: UnsafeRawPointer?, _ count: CInt, _ offset: sqlite3_int64
    ) -> CInt {
        guard let store = Store.of(file) else {
            return SQLITE_MISUSE
        }
        let methods = store.pointee.original.pointee
        let code = methods.xWrite(file, bytes, count, offset)
        store.pointee.state.unsynced += Int(count)
        guard code == SQLITE_OK, store.pointee.state.unsynced >= piece else {
            return code
        }
        store.pointee.state.unsynced = 0
        return methods.xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY)
    }
}
