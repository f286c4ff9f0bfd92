import AttributionStore
import GRDB
import GRDBSQLite

/// Syncs what a checkpoint writes to the store in pieces, so that no commit waits until the disk has all of it, and lets
/// other threads run in between.
///
/// SQLite writes the pages of the whole log and syncs them once. A commit meanwhile syncs the log, and waits for what
/// the disk was given before: four megabytes in each checkpoint, and tens of them after a long report.
struct PacedWrites {
    private typealias Store = OpenFile<PacedWrites>

    /// How much is written between two syncs.
    private static let piece = 256 << 10
    /// The same once a checkpoint has written as much as it usually does in all: where commits come faster than a slow
    /// disk moves such pieces, the log must not grow without end.
    private static let (largePiece, usual) = (1 << 20, 4 << 20)

    /// How much is written, in half a millisecond, before other threads may run.
    ///
    /// With one processor a commit would wait for the kernel's clock to interrupt the checkpoint. One that has written as
    /// much as usual no longer yields.
    private static let turn = 128 << 10

    private var unsynced = 0
    /// How much this checkpoint has written.
    private var written = 0

    /// Syncs what a connection writes, piece by piece, until it is closed.
    ///
    /// - Parameter db: A connection that only checkpoints, outside a transaction.
    /// - Throws: SQLite's errors.
    static func install(on db: Database) throws {
        try Store.replaceMethods(of: SQLITE_FCNTL_FILE_POINTER, on: db, PacedWrites()) { methods in
            methods.xWrite = { PacedWrites.write($0, $1, $2, $3) }
            methods.xSync = { file, flags in
                guard let store = Store.of(file) else {
                    return SQLITE_MISUSE
                }
                // The end of a checkpoint.
                store.pointee.state = PacedWrites()
                return store.pointee.original.pointee.xSync(file, flags)
            }
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
        store.pointee.state.written += Int(count)
        let state = store.pointee.state
        if state.written <= usual, state.written % turn < Int(count) {
            BackgroundWork.letOthersRun()
        }
        guard code == SQLITE_OK, state.unsynced >= (state.written > usual ? largePiece : piece) else {
            return code
        }
        store.pointee.state.unsynced = 0
        return methods.xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY)
    }
}
