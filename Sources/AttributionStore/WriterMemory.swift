import Foundation
import GRDB
import Synchronization

/// What the one process that writes a store keeps in memory between transactions: the exact index, and the tallies that
/// are not written yet.
///
/// A transaction looks rows up, keeps what it adds to itself, and hands it over when it has committed: what was rolled
/// back was never here.
final class WriterMemory: Sendable {
    private struct State {
        var index: PostbackIndex
        var lastRow: Int64
        /// What the tallies lack; nil while a transaction adds to it, and after one that failed.
        var backlog: TallyBacklog?
    }

    private let state: Mutex<State>
    /// Held as long as this object lives; the system releases it when the process ends in any way.
    private let lock: FileHandle

    /// Takes the store for this process alone, brings its schema up to date and reads the index from it.
    ///
    /// In this order: a process that is refused must not change the store under the one that records into it.
    ///
    /// - Throws: ``StoreError/inUse(path:)`` when another process writes the store.
    init(path: String, _ database: any DatabaseWriter, migrator: DatabaseMigrator) throws {
        lock = try Self.lock(path)
        try migrator.migrate(database)
        state = Mutex(try database.write(Self.load))
    }

    /// The rows under a fingerprint, as of the last commit.
    func rows(_ fingerprint: UInt64) -> [UInt32] {
        state.withLock { $0.index.rows(fingerprint) }
    }

    /// The last row id given out by a committed transaction.
    var lastRow: Int64 {
        state.withLock { $0.lastRow }
    }

    /// Lends the backlog to a transaction, which adds to it in place and hands it back when it has committed.
    ///
    /// After one that failed it is summed again from the ledger.
    func takeBacklog(_ db: Database) throws -> TallyBacklog {
        try state.withLock { $0.backlog.take() } ?? TallyFold(db).catchUp()
    }

    /// Takes over what a transaction added, after its commit and before the next one begins.
    ///
    /// - Parameters:
    ///   - fingerprints: Those of the rows it inserted, in their order.
    ///   - backlog: All that is behind the marks now.
    func add(_ fingerprints: [UInt64], _ backlog: TallyBacklog) {
        state.withLock { state in
            for fingerprint in fingerprints {
                state.lastRow += 1
                state.index.insert(fingerprint, row: UInt32(truncatingIfNeeded: state.lastRow))
            }
            state.backlog = backlog
        }
    }

    /// Writes the tallies that are not written yet.
    func fold(_ db: Database) throws {
        var backlog = try takeBacklog(db)
        try TallyFold(db).writeDue(&backlog, last: lastRow, interval: 0)
        db.afterNextTransaction { [backlog] _ in
            self.add([], backlog)
        }
    }

    /// Locks a file beside the store; one on the store itself would meddle with SQLite's own.
    private static func lock(_ path: String) throws -> FileHandle {
        let descriptor = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw StoreError.noLock(path: path + "-lock", reason: String(cString: strerror(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreError.inUse(path: path)
        }
        return handle
    }

    private static func load(_ db: Database) throws -> State {
        let newest = try Int64.fetchOne(db, sql: "SELECT max(id) FROM postback") ?? 0
        var index = PostbackIndex(capacity: Int(newest))
        var last: Int64 = 0
        try FingerprintBlock.each(db) { row, fingerprint in
            guard row == last + 1 else {
                throw DatabaseError(message: "the store has no fingerprint of postback \(last + 1)")
            }
            last = row
            index.insert(fingerprint, row: UInt32(truncatingIfNeeded: row))
        }
        guard newest == last else {
            throw DatabaseError(message: "the store's fingerprints do not belong to its postbacks")
        }
        return State(index: index, lastRow: last, backlog: try TallyFold(db).catchUp())
    }
}
