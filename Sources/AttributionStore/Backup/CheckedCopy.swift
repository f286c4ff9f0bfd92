import Foundation
import GRDB

/// A copy of a database that is whole and on the disk, and does not have its name yet.
struct CheckedCopy {
    /// How many rows each table has.
    let rows: [String: Int64]
    /// How many rows the change that was made to the copy alone reached.
    let changed: Int64

    private let source: String
    private let temporary: String
    private let destination: String

    /// Copies, changes the copy, and checks it.
    ///
    /// - Parameters:
    ///   - source: What is copied.
    ///   - destination: The name the copy is to have; it must be free.
    ///   - change: A statement for the copy alone; nil for none.
    /// - Throws: ``StoreError`` of the source, ``BackupError`` of the copy; then nothing of the copy is left.
    init(of source: BackupSource, as destination: String, change: (sql: String, arguments: StatementArguments)?) throws
    {
        // Two runs to one destination must not write into one another's file.
        let temporary = "\(destination).\(getpid()).unchecked"
        self.source = source.path
        self.temporary = temporary
        self.destination = destination
        do {
            try Self.checkFree(destination)
            let counted = try source.read { db in
                // Also begins the transaction: the copy is of what was counted.
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
        // The last to close it: what is in its log is moved into it.
        try connection.close()
        return changed
    }

    /// Compares the copy with what was counted; as a file that does not change, so that none is made beside it.
    private static func check(_ path: String, rows: [String: Int64], _ destination: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let connection = try DatabaseQueue(path: ReadingLocation.immutable(path), configuration: configuration)
        let (problems, copied) = try connection.read { db in
            (try db.structureProblems(), try Self.count(db))
        }
        try connection.close()
        guard problems.isEmpty, copied == rows else {
            throw BackupError.notWhole(path: destination)
        }
    }

    /// Gives the copy its name, unless somebody has taken it meanwhile.
    ///
    /// - Throws: ``BackupError``; then nothing of the copy is left.
    func publish() throws {
        defer { Self.remove(temporary) }
        var status = stat()
        if stat(source, &status) == 0 {
            chmod(temporary, status.st_mode & 0o777)
        }
        // A link is made only where there is nothing; file systems without links have to be asked before.
        if link(temporary, destination) != 0 {
            guard errno != EEXIST else {
                throw BackupError.exists(path: destination)
            }
            guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else {
                throw Self.systemError(destination)
            }
            try Self.checkFree(destination)
            guard rename(temporary, destination) == 0 else {
                throw Self.systemError(destination)
            }
        }
        try Self.synchronize(folderOf: destination)
    }

    /// Removes a copy that nobody wants any more.
    func discard() {
        Self.remove(temporary)
    }

    /// Removes the copy under its name as well.
    func withdraw() {
        Self.remove(destination)
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            unlink(path + suffix)
        }
    }

    private static func systemError(_ path: String) -> BackupError {
        .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }

    private static func synchronize(folderOf path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw systemError(folder)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw systemError(folder)
        }
    }
}
