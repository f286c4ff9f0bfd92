import AttributionStore
import Foundation
import GRDB
import Platform

/// A database opened to be copied; it is not modified, whether or not it has an owner.
struct BackupSource {
    let path: String
    private let file: StoreFile

    /// Names the database.
    ///
    /// - Throws: ``AttributionStore/StoreError/missing(path:)``, and other errors if the file is not a database of this
    ///   kind.
    init(_ path: String, _ schema: StoreSchema) throws(StoreError) {
        guard FileStatus(path: path) != nil else {
            throw .missing(path: path)
        }
        self.path = try ResolvedPath(store: path).text
        file = try StoreFile.open(self.path, isWritable: false)
        guard !file.isEmpty else {
            throw .notAStore(path: path)
        }
        try schema.check(file, path: path)
    }

    /// Reads in one transaction, so that `work` sees a consistent snapshot.
    func read<Result>(_ work: (Database) throws -> Result) throws -> Result {
        try StoreError.translating(path) {
            let location = try ReadingLocation(file, path: path)
            defer { location.lease?.release() }
            var configuration = Configuration()
            configuration.label = "skan-backup"
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            let connection = try DatabaseQueue(path: location.name, configuration: configuration)
            defer { try? connection.close() }
            return try connection.read(work)
        }
    }
}

/// A checked copy of a database, on disk under a temporary name.
struct CheckedCopy {
    /// How many rows each table has.
    let rows: [String: Int64]
    /// How many rows the change to the copy affected.
    let changed: Int64

    private let source: String
    private let temporary: String
    private let destination: String

    /// Copies a database, changes the copy, and checks it.
    ///
    /// - Parameters:
    ///   - source: The database to copy.
    ///   - destination: The final path of the copy, which must not exist.
    ///   - change: A statement to run on the copy only; nil for none.
    /// - Throws: ``AttributionStore/StoreError`` for the source, ``BackupError`` for the copy; the copy is removed.
    init(of source: BackupSource, as destination: String, change: (sql: String, arguments: StatementArguments)?) throws
    {
        // Two backups to the same destination must not write to the same file.
        let temporary = "\(destination).\(getpid()).unchecked"
        self.source = source.path
        self.temporary = temporary
        self.destination = destination
        do {
            try Self.checkFree(destination)
            let counted = try source.read { db in
                // Counting begins the transaction, so the copy is of the rows counted.
                let rows = try Self.count(db)
                try BackupError.translating(destination) { try StoreCopy.write(from: db, to: temporary) }
                return rows
            }
            (rows, changed) = try BackupError.translating(destination) {
                let changed = try change.map { try Self.change(temporary, $0.sql, $0.arguments) } ?? 0
                try Self.check(temporary, rows: counted, destination)
                return (counted, changed)
            }
        } catch {
            Self.remove(temporary)
            throw error
        }
    }

    private static func checkFree(_ destination: String) throws(BackupError) {
        for path in ["", "-wal", "-shm", "-journal"].map({ destination + $0 })
        where FileManager.default.fileExists(atPath: path) {
            throw .exists(path: path)
        }
    }

    private static func count(_ db: Database) throws -> [String: Int64] {
        let tables = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        var rows: [String: Int64] = [:]
        for table in tables {
            rows[table] = try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedDatabaseIdentifier)") ?? 0
        }
        return rows
    }

    private static func change(_ path: String, _ sql: String, _ arguments: StatementArguments) throws -> Int64 {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        let changed = try connection.write { db in
            try db.execute(sql: sql, arguments: arguments)
            return Int64(db.changesCount)
        }
        // Closing the last connection checkpoints the copy's log.
        try connection.close()
        return changed
    }

    /// Compares the copy with the rows counted; it is opened as immutable, so that SQLite creates no `-wal` or `-shm`.
    private static func check(_ path: String, rows: [String: Int64], _ destination: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let connection = try DatabaseQueue(path: ReadingLocation.immutable(path), configuration: configuration)
        let (problems, copied) = try connection.read { db in
            (try db.problems(of: "quick_check", atMost: 1), try Self.count(db))
        }
        try connection.close()
        guard problems.isEmpty, copied == rows else {
            throw BackupError.notWhole(path: destination)
        }
    }

    /// Gives the copy its final name, unless a file by that name exists by now.
    ///
    /// - Throws: ``BackupError``; the copy is removed.
    func publish() throws {
        defer { Self.remove(temporary) }
        var status = stat()
        if stat(source, &status) == 0 {
            chmod(temporary, status.st_mode & 0o777)
        }
        // link() never overwrites a file. File systems without links need a check and a rename.
        if link(temporary, destination) != 0 {
            guard errno != EEXIST else {
                throw BackupError.exists(path: destination)
            }
            guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else {
                throw systemError()
            }
            try Self.checkFree(destination)
            guard rename(temporary, destination) == 0 else {
                throw systemError()
            }
        }
        unlink(temporary)
        try BackupError.translating(destination) {
            try StoreCopy.synchronize(URL(fileURLWithPath: destination).deletingLastPathComponent().path)
        }
    }

    private func systemError() -> BackupError {
        .cannotWrite(path: destination, reason: String(cString: strerror(errno)))
    }

    /// Removes a copy that was not published.
    func discard() {
        Self.remove(temporary)
    }

    /// Removes a copy that was published.
    func withdraw() {
        Self.remove(destination)
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            unlink(path + suffix)
        }
    }
}
