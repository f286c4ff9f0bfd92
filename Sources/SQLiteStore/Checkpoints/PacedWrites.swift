import AttributionStore
import GRDB
import GRDBSQLite
import Synchronization

/// Whether a checkpoint pauses; one that falls behind, or that somebody waits for, does not.
final class CheckpointPauses: Sendable {
    private let state = Atomic(true)

    var areOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}

/// Syncs what a checkpoint writes to the store in pieces, so that no commit waits until the disk has all of it, and pauses
/// in between, so that none waits for the processor.
///
/// SQLite writes the pages of the whole log and syncs them once. A commit meanwhile syncs the log, and waits for what
/// the disk was given before: four megabytes in each checkpoint, and tens of them after a recount.
struct PacedWrites {
    private typealias Store = OpenFile<PacedWrites>

    /// How much is written between two syncs.
    private static let piece = 256 << 10
    /// The same once a checkpoint has written as much as it usually does in all: where commits come faster than a slow
    /// disk moves such pieces, the log must not grow without end.
    private static let (largePiece, usual) = (1 << 20, 4 << 20)

    /// How much is written between two pauses, in a tenth of a millisecond.
    private static let step = 64 << 10
    /// After so much there are no more pauses: what was held back for long must not take so long that the log grows
    /// without end.
    private static let lastPause = 64 << 20

    private let pauses: CheckpointPauses
    private var unsynced = 0
    /// How much this checkpoint has written.
    private var written = 0

    /// Syncs what a connection writes, piece by piece, until it is closed.
    ///
    /// - Parameters:
    ///   - db: A connection that only checkpoints, outside a transaction.
    ///   - pauses: Whether it pauses.
    /// - Throws: SQLite's errors.
    static func install(on db: Database, _ pauses: CheckpointPauses) throws {
        try Store.replaceMethods(of: SQLITE_FCNTL_FILE_POINTER, on: db, PacedWrites(pauses: pauses)) { methods in
            methods.xWrite = { PacedWrites.write($0, $1, $2, $3) }
            methods.xSync = { file, flags in
                guard let store = Store.of(file) else {
                    return SQLITE_MISUSE
                }
                // The end of a checkpoint.
                store.pointee.state = PacedWrites(pauses: store.pointee.state.pauses)
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
        if state.written % step < Int(count), state.written <= lastPause, state.pauses.areOn {
            Turns.pause()
        }
        guard code == SQLITE_OK, state.unsynced >= (state.written > usual ? largePiece : piece) else {
            return code
        }
        store.pointee.state.unsynced = 0
        return methods.xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY)
    }
}
