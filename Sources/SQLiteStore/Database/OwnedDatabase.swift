import AttributionStore
import Foundation
import GRDB
import GRDBSQLite
import Platform
import Synchronization

/// A database that only this process writes, through ``write(_:)``, which checks the fence and the files each time.
///
/// - The **lease** is the kernel's lock on the file itself (``StoreLease``).
/// - The **fence** catches owners that got past the lease: an epoch in the file, incremented before anything is loaded
///   and compared in every transaction.
/// - The **watch** compares the files with those SQLite has open, before each transaction and after each commit
///   (``FileWatch``).
///
/// After the process has lost its fence or its files, it writes nothing, runs no checkpoint and closes no connection,
/// because closing one checkpoints the log and removes whatever is at its path. It has to end with `_exit`.
final class OwnedDatabase: Sendable {
    /// The file, with links resolved, so that the watch looks where SQLite writes.
    let path: String

    private let file: StoreFile
    private let lease: StoreLease
    private let schema: StoreSchema
    private let hooks: Hooks
    private let isStopping = Atomic(false)
    private let connection = Mutex<Connection?>(nil)
    private let state = Mutex(State())

    /// Callbacks of the owner.
    struct Hooks: Sendable {
        /// Loads the owner's state; called once, after the epoch was incremented.
        var load: @Sendable (Database) throws -> Void = { _ in }
        /// Whether the newest row is the one this process wrote last.
        var isNewestOurs: @Sendable (Database) throws -> Bool = { _ in true }
        /// Writes what recording would write, to be rolled back; unlike an update in place, it fails on a damaged page
        /// or a nearly full disk.
        var rehearse: @Sendable (Database) throws -> Void = { _ in }
        /// Whether a file that may have lost commits is moved away, because it must not go on with less than it had.
        var isSetAside = false
        /// Called with events for the operator, on any thread.
        var onEvent: @Sendable (StoreEvent) -> Void = { _ in }
    }

    private struct Connection {
        let writer: DatabaseQueue
        let checkpoint: LogCheckpoint
    }

    private struct State {
        var health = StoreHealth.failing(reason: "the store is not open yet")
        /// The epoch of this owner; nil until the store is taken over.
        var epoch: Int64?
        var watch: FileWatch?
        var isClosed = false
    }

    /// Databases that must never be closed.
    private static let abandoned = Mutex<[OwnedDatabase]>([])

    /// Acquires the lease and takes over the store; if the disk does not allow that now, each write tries again.
    init(path: String, schema: StoreSchema, hooks: Hooks = Hooks()) throws {
        let path = try ResolvedPath(store: path).text
        self.path = path
        self.schema = schema
        self.hooks = hooks
        file = try StoreFile.open(path, isWritable: true)
        lease = try StoreLease(owning: file, path: path)
        try schema.check(file, path: path)
        try Self.checkFolder(of: path)
        let isNew = file.isEmpty
        try Self.checkLog(of: path, isNew: isNew)
        try schema.takeOverCopy(file, path: path)
        do {
            try StoreError.translating(path) { try withWriter { try takeOver($0) } }
        } catch StoreError.failed(_, let fault) where fault.mayPass && !isNew {
            note(StoreHealth(fault))
        }
    }

    deinit {
        // The lease is released last: another owner may open the file right after.
        connection.withLock { connection in
            try? connection?.checkpoint.close()
            try? connection?.writer.close()
            connection = nil
        }
        lease.release()
    }

    /// Checks that the log and its index can be created.
    private static func checkFolder(of path: String) throws(StoreError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else {
            throw .cannotOpen(path: path, reason: "its folder: " + String(cString: strerror(errno)))
        }
    }

    private static func checkLog(of path: String, isNew: Bool) throws(StoreError) {
        guard !isNew || (FileStatus(path: path + "-wal")?.size ?? 0) == 0 else {
            throw .logWithoutStore(path: path)
        }
    }

    /// Checks that this process could own a file, without creating or changing it.
    ///
    /// - Returns: The version of its schema, and whether another process owns it; nil if there is no file yet.
    static func check(_ path: String, _ schema: StoreSchema) throws(StoreError) -> (version: UInt32, isOwned: Bool)? {
        let path = try ResolvedPath(store: path).text
        try checkFolder(of: path)
        let status = FileStatus(path: path)
        try checkLog(of: path, isNew: (status?.size ?? 0) == 0)
        guard status != nil else {
            return nil
        }
        let file = try StoreFile.open(path, isWritable: true)
        try schema.check(file, path: path)
        // Released at once, because a server may be starting.
        let lease = try? StoreLease(owning: file, path: path)
        lease?.release()
        return (schema.version, lease == nil)
    }

    var health: StoreHealth {
        state.withLock { $0.health }
    }

    // MARK: Writing

    /// Runs one fenced and watched transaction on the calling thread.
    func write<Prepared, Result>(
        _ prepare: (Database) throws -> Prepared,
        _ work: (Database, Prepared) throws -> Result,
        decidesHealth: Bool = true,
        didCommit: () -> Void = {}
    ) throws -> Result {
        try StoreError.translating(path) {
            try withWriter { db in
                try takeOver(db)
                return try transaction(db, prepare, work, decidesHealth, didCommit)
            }
        }
    }

    /// Runs one fenced and watched transaction on the calling thread, which decides the health unless told otherwise.
    func write<Result>(
        decidesHealth: Bool = true, _ work: (Database) throws -> Result, didCommit: () -> Void = {}
    ) throws -> Result {
        try write({ _ in }, { db, _ in try work(db) }, decidesHealth: decidesHealth, didCommit: didCommit)
    }

    /// Checks the files; while commits fail, tries one, because a server that is not ready gets no traffic to try with.
    func heartbeat() {
        switch health {
        case .fenced, .lost:
            return
        case .failing:
            // A failure updates the health in write.
            try? write { db in
                try db.inSavepoint {
                    try hooks.rehearse(db)
                    return .rollback
                }
                try db.execute(sql: "UPDATE probe SET bytes = randomblob(262144)")
            }
        case .ready:
            // Waits for a running transaction.
            try? withWriter { try checkFiles($0) }
        }
    }

    private func withWriter<Result>(_ work: (Database) throws -> Result) throws -> Result {
        if let error = terminalError() {
            throw error
        }
        let writer = try connection.withLock { connection in
            if let connection {
                return connection.writer
            }
            guard state.withLock({ !$0.isClosed }) else {
                throw StoreError.cannotOpen(path: path, reason: "it was closed")
            }
            let opened = try open()
            connection = opened
            return opened.writer
        }
        return try writer.writeWithoutTransaction { db in
            // A job that waited while the store was closed would take the emptied log for a lost one.
            guard state.withLock({ !$0.isClosed }) else {
                throw StoreError.cannotOpen(path: path, reason: "it was closed")
            }
            return try work(db)
        }
    }

    private func transaction<Prepared, Result>(
        _ db: Database,
        _ prepare: (Database) throws -> Prepared,
        _ work: (Database, Prepared) throws -> Result,
        _ decidesHealth: Bool,
        _ didCommit: () -> Void
    ) throws -> Result {
        try checkFiles(db)
        do {
            let prepared = try prepare(db)
            // Cached statements save time at hundreds of transactions a second.
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
            try checkFence(db)
            let result = try work(db, prepared)
            // A log that was emptied meanwhile would be extended by the commit, with zeros where its frames were.
            try checkFiles(db)
            try db.cachedStatement(sql: "COMMIT").execute()
            didCommit()
            try checkFiles(db)
            if decidesHealth {
                note(.ready)
            }
            return result
        } catch {
            // SQLite rolls back by itself after some errors, such as a full disk.
            if db.isInsideTransaction {
                try? db.rollback()
            }
            if decidesHealth, let error = error as? DatabaseError {
                note(StoreHealth(StoreFault(error)))
            }
            throw error
        }
    }

    private func checkFence(_ db: Database) throws {
        let epoch = try Int64.fetchOne(db.cachedStatement(sql: "SELECT epoch FROM owner"))
        guard epoch == state.withLock({ $0.epoch }), try hooks.isNewestOurs(db) else {
            try? db.rollback()
            terminate(.fenced)
            hooks.onEvent(.fenced(path: path))
            throw StoreError.fenced(path: path)
        }
    }

    /// Checks that the files are those that SQLite writes; if not, saves what can be saved.
    private func checkFiles(_ db: Database, _ checkpoint: LogCheckpoint? = nil) throws {
        if let error = terminalError() {
            throw error
        }
        let checkpoint = checkpoint ?? connection.withLock { $0?.checkpoint }
        let frames = checkpoint?.frames ?? 0
        guard let loss = state.withLock({ $0.watch?.loss(frames: frames) }) else {
            return
        }
        terminate(.lost(loss))
        checkpoint?.stop()
        // What is not committed is not rescued.
        if db.isInsideTransaction {
            try? db.rollback()
        }
        let rescue = StoreRescue.save(path, after: loss, isSetAside: hooks.isSetAside, db)
        hooks.onEvent(.filesLost(path: path, loss, rescue: rescue))
        throw StoreError.lost(path: path, loss)
    }

    // MARK: Opening

    private func open() throws -> Connection {
        let writer = try DatabaseQueue(path: path, configuration: configuration)
        let checkpoint = try writer.writeWithoutTransaction { db in
            if try Int64.fetchOne(db, sql: "PRAGMA user_version") == 0 {
                try createTables(db)
            }
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw DatabaseError(resultCode: .SQLITE_CANTOPEN)
            }
            return try LogCheckpoint(path: path, configuration, writer: db) { [path, hooks] fault in
                hooks.onEvent(.checkpointFailed(path: path, reason: fault.words))
            }
        }
        return Connection(writer: writer, checkpoint: checkpoint)
    }

    /// Creates everything in one transaction of the rollback journal, so that the file has its `application_id` and all
    /// tables from its first commit on.
    private func createTables(_ db: Database) throws {
        try db.execute(
            sql: """
                BEGIN IMMEDIATE;
                PRAGMA application_id = \(schema.applicationID);
                PRAGMA user_version = \(schema.version);
                \(schema.sql)
                COMMIT;
                """)
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "skan"
        configuration.busyMode = .callback { [weak self] tries in
            guard let self else {
                return false
            }
            if tries == 200 {
                note(StoreHealth(.locked))
            }
            // Another process may hold the lock for one batch; longer means trouble. Five milliseconds each.
            guard tries < (isStopping.load(ordering: .relaxed) ? 100 : 2_000) else {
                return false
            }
            usleep(5_000)
            return true
        }
        configuration.prepareDatabase { db in
            // 64 MiB, enough for the pages at the ends of the tables.
            try db.execute(sql: "PRAGMA cache_size = -65536")
            try db.execute(sql: "PRAGMA foreign_keys = ON")
            // A commit is on disk when it returns, and checkpointed pages are before the log is overwritten.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            // Shrinks the log again after a long-running reader.
            try db.execute(sql: "PRAGMA journal_size_limit = 33554432")
        }
        return configuration
    }

    /// Increments the epoch, starts watching the files, and loads the owner's state; only once.
    private func takeOver(_ db: Database) throws {
        guard state.withLock({ $0.epoch == nil }) else {
            return
        }
        do {
            try db.execute(sql: "BEGIN IMMEDIATE")
            try db.execute(sql: "UPDATE owner SET epoch = epoch + 1")
            let epoch = try Int64.fetchOne(db, sql: "SELECT epoch FROM owner")
            try db.execute(sql: "COMMIT")
            let pageSize = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            guard let watch = FileWatch(path: path, store: file.identity, pageSize: pageSize) else {
                throw StoreError.cannotOpen(path: path, reason: "its files changed while it was being opened")
            }
            try hooks.load(db)
            state.withLock { state in
                state.watch = watch
                state.epoch = epoch
                state.health = .ready
            }
        } catch {
            if db.isInsideTransaction {
                try? db.rollback()
            }
            if let error = error as? DatabaseError {
                note(StoreHealth(StoreFault(error)))
            }
            throw error
        }
    }

    // MARK: Health

    private func note(_ health: StoreHealth) {
        state.withLock { state in
            if !state.health.isTerminal {
                state.health = health
            }
        }
    }

    /// Stops all writes and checkpoints for good, and keeps the connections open.
    private func terminate(_ health: StoreHealth) {
        note(health)
        Self.abandoned.withLock { $0.append(self) }
        connection.withLock { $0?.checkpoint.stop() }
    }

    private func terminalError() -> StoreError? {
        switch health {
        case .ready, .failing: nil
        case .fenced: .fenced(path: path)
        case .lost(let loss): .lost(path: path, loss)
        }
    }

    // MARK: Closing

    /// Limits waits for other programs' locks to half a second from now on.
    func prepareToClose() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// Checkpoints the whole log, closes the store and releases the lease.
    func close() throws -> StoreEnding {
        prepareToClose()
        guard !health.isTerminal else {
            return .abandoned
        }
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst, let opened = connection.withLock({ $0.take() }) else {
            lease.release()
            return (FileStatus(path: path + "-wal")?.size ?? 0) == 0
                ? .whole : .logLeft(reason: health.reason ?? "it was closed before")
        }
        let ending: StoreEnding
        do {
            ending = try opened.writer.writeWithoutTransaction { db in
                guard state.withLock({ $0.watch != nil }) else {
                    return .logLeft(reason: health.reason ?? "it was never opened completely")
                }
                try checkFiles(db, opened.checkpoint)
                return opened.checkpoint.finish(db).map { .logLeft(reason: $0.words) } ?? .whole
            }
        } catch is StoreError {
            // This connection must not be closed.
            connection.withLock { $0 = opened }
            return .abandoned
        }
        defer { lease.release() }
        let closing = Result { try opened.checkpoint.close() }
        try opened.writer.close()
        try closing.get()
        return ending
    }
}

extension OwnedDatabase {
    /// The writing connection's settings that durability depends on, as SQLite reports them.
    func durabilitySettings() throws -> [String: String] {
        try withWriter { db in
            var settings: [String: String] = [:]
            for name in ["journal_mode", "synchronous"] {
                settings[name] = try String.fetchOne(db, sql: "PRAGMA \(name)")
            }
            return settings
        }
    }

    /// Limits how many pages the file may grow by.
    func limitPages(toMoreBy pages: Int) throws {
        try withWriter { db in
            let count = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(count + pages)")
        }
    }
}
