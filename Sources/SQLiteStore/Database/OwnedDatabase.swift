import AttributionStore
import CheckedFiles
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// A database that only this process writes, through ``write(_:)``, which checks the fence and the files each time.
///
/// - The **lease** is the kernel's lock on the file itself (``StoreFile``).
/// - The **fence** catches owners that got past the lease: an epoch in the file, incremented before anything is loaded
///   and compared in every transaction.
/// - The **watch** compares the files with those SQLite has open, before each transaction and after each commit
///   (``FileWatch``). If files were removed or replaced, it saves what it can. A second name of the file is only
///   reported, because nobody can open it by that.
///
/// After the process has lost its fence or its files, it writes nothing, runs no checkpoint and closes no connection,
/// because closing one checkpoints the log. It has to end with `_exit`.
final class OwnedDatabase: Sendable {
    /// The file, with links resolved, so that the watch looks where SQLite writes.
    let path: String
    /// For the readers of this process.
    let activity = OwnerActivity()

    private let file: StoreFile
    private let lease: StoreLease
    private let schema: StoreSchema
    private let hooks: Hooks
    private let busyTimeout = BusyTimeout()
    private let connection = Mutex<Connection?>(nil)
    private let state = Mutex(State())

    /// Callbacks of the owner.
    struct Hooks: Sendable {
        /// Loads the owner's state; called once, after the epoch was incremented.
        var load: @Sendable (Database) throws -> Void = { _ in }
        /// Whether the newest row is the one this process wrote last.
        var isNewestOurs: @Sendable (Database) throws -> Bool = { _ in true }
        /// The newest postback, to report from which one on some may be missing; nil for a file of other things.
        var newestRow: (@Sendable () -> Int64)?
        /// Writes what recording would write, to be rolled back; unlike an update in place, it fails on a damaged page
        /// or a nearly full disk.
        var rehearse: (@Sendable (Database) throws -> Void)?
        /// Throws ``AttributionStore/StoreError/missingTable(path:table:isRecreated:)`` if a table was deleted.
        var checkTables: @Sendable (Database) throws -> Void = { _ in }
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
        /// That the file has several names, as of the last heartbeat.
        var linked: StoreError?
        /// The newest postback known to be in the file itself, without the log.
        var movedThrough: Int64 = 0
        var isRescued = false
        var isClosed = false
    }

    /// Databases that must never be closed.
    private static let abandoned = Mutex<[OwnedDatabase]>([])

    /// Acquires the lease and takes over the store; if the disk does not allow that now, each write tries again.
    ///
    /// - Parameters:
    ///   - path: The database; created if it does not exist.
    ///   - schema: The kind of file.
    ///   - hooks: The owner's callbacks.
    /// - Throws: ``AttributionStore/StoreError``.
    init(path: String, schema: StoreSchema, hooks: Hooks = Hooks()) throws {
        let path = try ResolvedPath(store: path).text
        self.path = path
        self.schema = schema
        self.hooks = hooks
        let file = try StoreFile.open(path, isWritable: true)
        guard let lease = file.leaseExclusively() else {
            throw StoreError.inUse(path: path)
        }
        self.file = file
        self.lease = lease
        try schema.check(file, path: path)
        try Self.checkFolder(of: path)
        let isNew = file.isEmpty
        guard !isNew || (FileStatus(path: path + "-wal")?.size ?? 0) == 0 else {
            lease.release()
            throw StoreError.logWithoutStore(path: path)
        }
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

    /// Checks that this process could own a file, without creating or changing it.
    ///
    /// - Parameters:
    ///   - path: The database, which need not exist.
    ///   - schema: The kind of file.
    /// - Returns: The version of its schema, and whether another process owns it; nil if there is no file yet.
    /// - Throws: ``StoreError``.
    static func check(_ path: String, _ schema: StoreSchema) throws(StoreError) -> (version: UInt32, isOwned: Bool)? {
        let path = try ResolvedPath(store: path).text
        try checkFolder(of: path)
        let isNew = (FileStatus(path: path)?.size ?? 0) == 0
        guard !isNew || (FileStatus(path: path + "-wal")?.size ?? 0) == 0 else {
            throw .logWithoutStore(path: path)
        }
        guard FileStatus(path: path) != nil else {
            return nil
        }
        let file = try StoreFile.open(path, isWritable: true)
        try schema.check(file, path: path)
        // Released at once, because a server may be starting.
        let lease = file.leaseExclusively()
        lease?.release()
        return (schema.version, lease == nil)
    }

    /// Whether the last commit succeeded.
    var health: StoreHealth {
        state.withLock { $0.health }
    }

    /// That the file has several names, as of the last heartbeat; nil if it has one.
    var linked: StoreError? {
        state.withLock { $0.linked }
    }

    // MARK: Writing

    /// Runs one fenced and watched transaction on the calling thread.
    ///
    /// - Parameters:
    ///   - prepare: Reads what `work` needs, before the transaction; there are no other writers.
    ///   - work: The body of the transaction.
    ///   - isRecording: Whether it records postbacks; if another one fails, it is tried whether recording works.
    ///   - didCommit: Updates the owner's state after the commit, before the next transaction can begin.
    /// - Returns: The result of `work`, after the commit.
    /// - Throws: ``AttributionStore/StoreError``, and what `work` throws; the transaction must not be acknowledged.
    func write<Prepared, Result>(
        _ prepare: (Database) throws -> Prepared,
        _ work: (Database, Prepared) throws -> Result,
        isRecording: Bool = true,
        didCommit: () -> Void = {}
    ) throws -> Result {
        try StoreError.translating(path) {
            try withWriter { db in
                try takeOver(db)
                return try transaction(db, prepare, work, isRecording, didCommit)
            }
        }
    }

    /// Runs one fenced and watched transaction on the calling thread.
    func write<Result>(
        isRecording: Bool = true,
        _ work: (Database) throws -> Result,
        didCommit: () -> Void = {}
    ) throws -> Result {
        try write({ _ in }, { db, _ in try work(db) }, isRecording: isRecording, didCommit: didCommit)
    }

    /// Checks files and tables; while commits fail, tries one, because a server that is not ready gets no traffic to
    /// try with.
    func heartbeat() {
        switch health {
        case .fenced, .lost:
            return
        case .failing:
            // A failure updates the health in write.
            try? write { db in
                try db.inSavepoint {
                    try hooks.rehearse?(db)
                    return .rollback
                }
                try db.execute(sql: "UPDATE probe SET bytes = randomblob(262144)")
            }
        case .ready:
            // Waits for a running transaction.
            try? withWriter { db in
                try watchBefore(db)
                noteNames()
                do {
                    try hooks.checkTables(db)
                } catch {
                    noteFailure(error, isRecording: false, db)
                }
            }
        }
    }

    /// Reports that the file got a second name, once until it has one again.
    private func noteNames() {
        guard let status = FileStatus(path: path) else {
            return
        }
        let linked = status.names > 1 ? StoreError(linked: path, status) : nil
        let before = state.withLock { state in
            defer { state.linked = linked }
            return state.linked
        }
        if before == nil, case .linked(let path, let names, let folder)? = linked {
            hooks.onEvent(.linked(path: path, names: names, folder: folder))
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
        return try writer.writeWithoutTransaction(work)
    }

    private func transaction<Prepared, Result>(
        _ db: Database,
        _ prepare: (Database) throws -> Prepared,
        _ work: (Database, Prepared) throws -> Result,
        _ isRecording: Bool,
        _ didCommit: () -> Void
    ) throws -> Result {
        try watchBefore(db)
        do {
            let prepared = try prepare(db)
            // Cached statements save time at hundreds of transactions a second.
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
            try checkFence(db)
            let result = try work(db, prepared)
            try db.cachedStatement(sql: "COMMIT").execute()
            didCommit()
            try watchAfter(db)
            noteSuccess()
            return result
        } catch {
            // SQLite rolls back by itself after some errors, such as a full disk.
            if db.isInsideTransaction {
                try? db.rollback()
            }
            let error = namingMissingTable(error, db)
            noteFailure(error, isRecording: isRecording, db)
            throw error
        }
    }

    /// The error that names the table a statement lacks; any other error as it is.
    ///
    /// SQLite's code for that is the one for any mistake in a statement.
    private func namingMissingTable(_ error: any Error, _ db: Database) -> any Error {
        guard let failure = error as? DatabaseError, failure.resultCode == .SQLITE_ERROR else {
            return error
        }
        do {
            try hooks.checkTables(db)
            return failure
        } catch let missing as StoreError {
            return missing
        } catch {
            return failure
        }
    }

    /// The store stays ready without what is damaged or missing as long as the next postback can be recorded.
    private func noteFailure(_ error: any Error, isRecording: Bool, _ db: Database) {
        if let error = error as? DatabaseError {
            let fault = StoreFault(error)
            if isRecording && fault != .damaged || !canRecord(db) {
                note(StoreHealth(fault))
            }
        } else if let error = error as? StoreError, case .missingTable = error, !canRecord(db) {
            note(.failing(reason: error.remark))
        }
    }

    /// Whether the tables and pages that the next recording needs can be read and written.
    private func canRecord(_ db: Database) -> Bool {
        guard let rehearse = hooks.rehearse else {
            return false
        }
        let rehearsed: Void? = try? db.inTransaction(.immediate) {
            _ = try Int64.fetchOne(db, sql: "SELECT epoch FROM owner")
            try rehearse(db)
            return .rollback
        }
        return rehearsed != nil
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
            try LogWriteBuffer.install(on: db)
            return try LogCheckpoint(path: path, configuration, writer: db, activity) { [weak self] outcome in
                self?.note(outcome)
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
        configuration.busyMode = busyTimeout.mode { [weak self] in
            self?.note(StoreHealth(.locked))
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
            let checkpoint = try checkpoint()
            guard let watch = FileWatch(path: path, store: file.identity, frames: checkpoint.frames) else {
                throw StoreError.cannotOpen(path: path, reason: "its files changed while it was being opened")
            }
            try hooks.load(db)
            checkpoint.watch(watch.log)
            state.withLock { state in
                state.watch = watch
                state.epoch = epoch
                state.health = .ready
            }
            // After this checkpoint, losing the log costs no earlier row; a reader may postpone it.
            let moved = checkpoint.moveAll(SQLITE_CHECKPOINT_PASSIVE, frames: checkpoint.frames, db)
            if case .failed(.locked) = moved {
                return
            }
            note(moved)
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

    private func checkpoint() throws -> LogCheckpoint {
        guard let checkpoint = connection.withLock({ $0?.checkpoint }) else {
            throw StoreError.cannotOpen(path: path, reason: "it is closed")
        }
        return checkpoint
    }

    // MARK: The watch

    private func watchBefore(_ db: Database) throws {
        if let error = terminalError() {
            throw error
        }
        if let loss = state.withLock({ $0.watch?.lossBefore() }) {
            throw lost(loss, db)
        }
    }

    private func watchAfter(_ db: Database) throws {
        let frames = try checkpoint().frames
        if let loss = state.withLock({ $0.watch?.lossAfter(frames: frames) }) {
            throw lost(loss, db)
        }
        if let error = terminalError() {
            // A concurrent checkpoint found the log damaged.
            throw error
        }
    }

    /// Stops writing for good, and saves what can be saved.
    private func lost(_ loss: StoreLoss, _ db: Database) -> StoreError {
        terminate(.lost(loss))
        let isFirst = state.withLock { state in
            defer { state.isRescued = true }
            return !state.isRescued
        }
        if isFirst {
            let rescue = StoreRescue(
                path: path, newestRow: hooks.newestRow?(), movedThrough: movedThrough,
                frames: state.withLock { $0.watch?.frames ?? 0 },
                checkpoint: connection.withLock { $0?.checkpoint })
            hooks.onEvent(.filesLost(path: path, loss, rescue: rescue.save(after: loss, db)))
        }
        return .lost(path: path, loss)
    }

    private func note(_ outcome: LogCheckpoint.Outcome) {
        switch outcome {
        case .complete:
            let newest = hooks.newestRow?() ?? 0
            state.withLock { $0.movedThrough = max($0.movedThrough, newest) }
        case .failed(let fault):
            hooks.onEvent(.checkpointFailed(path: path, reason: fault.words))
        case .damaged:
            // Found outside a transaction or within a commit: only checkpointed rows can be saved.
            terminate(.lost(.logDamaged))
            let isFirst = state.withLock { state in
                defer { state.isRescued = true }
                return !state.isRescued
            }
            if isFirst {
                let rescue = StoreRescue.withoutLog(path, movedThrough: movedThrough)
                hooks.onEvent(.filesLost(path: path, .logDamaged, rescue: rescue))
            }
        }
    }

    private var movedThrough: Int64? {
        hooks.newestRow.map { _ in state.withLock { $0.movedThrough } }
    }

    // MARK: Health

    private func noteSuccess() {
        state.withLock { state in
            if !state.health.isTerminal {
                state.health = .ready
            }
        }
    }

    private func note(_ health: StoreHealth) {
        state.withLock { state in
            if !state.health.isTerminal {
                state.health = health
            }
        }
    }

    /// Stops all writes and checkpoints for good, and keeps the connections open.
    private func terminate(_ health: StoreHealth) {
        let isNew = state.withLock { state in
            guard !state.health.isTerminal else {
                return false
            }
            state.health = health
            return true
        }
        if isNew {
            Self.abandoned.withLock { $0.append(self) }
            if health == .fenced {
                connection.withLock { $0?.checkpoint.stop() }
            }
        }
    }

    private func terminalError() -> StoreError? {
        switch health {
        case .ready, .failing: nil
        case .fenced: .fenced(path: path)
        case .lost(let loss): .lost(path: path, loss)
        }
    }

    // MARK: Closing

    /// Shortens waits for locks from now on.
    func prepareToClose() {
        busyTimeout.shorten()
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
            ending = try opened.writer.writeWithoutTransaction { try moveAll($0, opened) }
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

    /// The last checkpoint.
    private func moveAll(_ db: Database, _ opened: Connection) throws -> StoreEnding {
        guard let frames = state.withLock({ $0.watch?.frames }) else {
            return .logLeft(reason: health.reason ?? "it was never opened completely")
        }
        try watchBefore(db)
        switch opened.checkpoint.moveAll(SQLITE_CHECKPOINT_TRUNCATE, frames: frames, db) {
        case .complete: return .whole
        case .failed(let fault): return .logLeft(reason: fault.words)
        case .damaged: throw lost(.logDamaged, db)
        }
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
