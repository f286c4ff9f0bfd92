import Attribution
import Foundation
import GRDB

/// The ledger in one SQLite file: WAL, `synchronous=FULL`, uniqueness by an exact index in the memory of the one process
/// that writes it.
///
/// A commit has reached the disk when it returns. Any number of processes may read the file meanwhile; reading never
/// waits for writing.
public struct SQLiteLedger: PostbackLedger {
    let database: any DatabaseWriter
    let bounds: QuarantineBounds
    /// How many postbacks the tallies may be behind the ledger.
    let tallyInterval: Int
    /// Decides uniqueness, and holds tallies not written yet; nil when the store was opened for reading.
    let memory: WriterMemory?

    /// Moves the log into the store; nil when it was opened for reading.
    private let checkpoint: LogCheckpoint?

    /// Opens a store, creates it when the file does not exist, and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - path: The database file; its folder must exist.
    ///   - bounds: How much unverified traffic is kept.
    ///   - tallyInterval: How many postbacks the tallies may be behind; readers add up those still missing.
    ///   - onCheckpointFailure: Told why the log cannot be moved into the store, once until it can be again; nothing is
    ///     lost meanwhile, but the log grows.
    /// - Throws: What SQLite reports, ``StoreError/newerSchema(path:)`` for a file of a later release, and
    ///   ``StoreError/inUse(path:)`` when another process records into it.
    public init(
        path: String,
        bounds: QuarantineBounds = QuarantineBounds(),
        tallyInterval: Int = 16_384,
        onCheckpointFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw StoreError.noFolder(path: path, folder: folder)
        }
        database = try DatabasePool(path: path, configuration: Self.configuration(isReadOnly: false))
        self.bounds = bounds
        self.tallyInterval = tallyInterval
        try Self.checkAge(of: database, path: path)
        // Said after opening: a pool sets NORMAL for its writer, with which a commit may be lost with the power.
        checkpoint = try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            return try LogCheckpoint(
                path: path, Self.configuration(isReadOnly: false), writer: db, onFailure: onCheckpointFailure)
        }
        memory = try WriterMemory(path: path, database, migrator: SQLiteSchema.migrator)
    }

    /// Opens an existing store for reading.
    ///
    /// - Parameter path: The database file.
    /// - Throws: ``StoreError/missing(path:)`` when there is none, for a store is never created by reading it, and
    ///   ``StoreError/olderSchema(path:)`` for one that must be brought up to date first.
    public init(reading path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError.missing(path: path)
        }
        let isWritable = FileManager.default.isWritableFile(atPath: path)
        // A reader of a WAL database must be able to make its -shm file; only a file that cannot be written is
        // opened read-only.
        database = try DatabasePool(path: path, configuration: Self.configuration(isReadOnly: !isWritable))
        bounds = QuarantineBounds()
        tallyInterval = 0
        memory = nil
        checkpoint = nil
        try Self.checkAge(of: database, path: path)
        let (isCurrent, isEarlier) = try database.read { db in
            let migrator = SQLiteSchema.migrator
            return (try migrator.hasCompletedMigrations(db), try !migrator.completedMigrations(db).isEmpty)
        }
        guard isCurrent else {
            throw isEarlier ? StoreError.olderSchema(path: path) : .notAStore(path: path)
        }
    }

    /// Brings the tallies up to the ledger and closes the file; every method fails afterwards.
    public func close() throws {
        // Closed in any case: what could not be tallied is in the ledger, and the next process tallies it.
        let folding = Result { try memory.map { memory in try database.write { try memory.fold($0) } } }
        try checkpoint?.close()
        try database.close()
        _ = try folding.get()
    }

    private static func configuration(isReadOnly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.label = "skan"
        configuration.readonly = isReadOnly
        // Another process may hold the write lock for one batch; longer means trouble.
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            // 64 MiB: the tallies of some months, and the ends of the tables.
            try db.execute(sql: "PRAGMA cache_size = -65536")
            try db.execute(sql: "PRAGMA foreign_keys = ON")
        }
        return configuration
    }

    private static func checkAge(of database: any DatabaseWriter, path: String) throws {
        let isNewer: Bool
        do {
            isNewer = try database.read { db in
                try SQLiteSchema.migrator.hasBeenSuperseded(db)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw StoreError.notAStore(path: path)
        }
        if isNewer {
            throw StoreError.newerSchema(path: path)
        }
    }
}

extension SQLiteLedger {
    /// The settings of the writing connection on which durability rests, as SQLite reports them.
    package func durabilitySettings() async throws -> [String: String] {
        try await database.durabilitySettings()
    }
}
