package import AttributionStore
import CheckedFiles
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Reads a store of postbacks without modifying it.
///
/// There may be any number of readers, with or without an owner.
package final class SQLiteLedgerReader: Sendable {
    /// The file, with links resolved.
    package let path: String
    private let file: StoreFile
    private let pool = Mutex<DatabasePool?>(nil)
    private let lease = Mutex<StoreLease?>(nil)

    /// Checks that a file is a store; the first query opens it.
    ///
    /// - Parameter path: The database file.
    /// - Throws: ``AttributionStore/StoreError/missing(path:)`` if there is none, because reading never creates a
    ///   store, and other errors if the file cannot be read as a store.
    package init(_ path: String) throws(StoreError) {
        guard let status = FileStatus(path: path) else {
            throw .missing(path: path)
        }
        guard status.isRegular else {
            throw .notAStore(path: path)
        }
        self.path = try ResolvedPath(store: path).text
        file = try StoreFile.open(self.path, isWritable: false)
        guard !file.isEmpty else {
            throw .notAStore(path: path)
        }
        try LedgerSchema.schema.check(file, path: path)
    }

    deinit {
        close()
    }

    /// Closes the connections; a later query opens new ones.
    package func close() {
        pool.withLock { pool in
            try? pool?.close()
            pool = nil
        }
        lease.withLock { $0 = nil }
    }

    /// Reads in one snapshot.
    func read<Result: Sendable>(_ work: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await StoreError.translating(path) {
            try await connection().read { db in try StoreError.namingMissingTable(self.path, db, work) }
        }
    }

    /// Reads in one snapshot, optionally on a thread of lower priority.
    func read<Result: Sendable>(
        inBackground: Bool,
        _ work: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        guard inBackground else {
            return try await read(work)
        }
        return try await self.inBackground { pool in
            try pool.read { db in try StoreError.namingMissingTable(self.path, db, work) }
        }
    }

    /// Uses the connections on a thread of lower priority.
    func inBackground<Result: Sendable>(
        _ work: @escaping @Sendable (DatabasePool) throws -> Result
    ) async throws -> Result {
        try await StoreError.translating(path) {
            try await BackgroundWork.run { try work(self.connection()) }
        }
    }

    private func connection() throws -> DatabasePool {
        try pool.withLock { pool in
            if let pool {
                return pool
            }
            var configuration = Configuration()
            configuration.label = "skan-reader"
            configuration.readonly = true
            let busyTimeout = BusyTimeout()
            configuration.busyMode = busyTimeout.mode {}
            configuration.maximumReaderCount = 4
            configuration.prepareDatabase { db in
                // 64 MiB, enough for the columns of a report over ten million postbacks.
                try db.execute(sql: "PRAGMA cache_size = -65536")
            }
            let location = try ReadingLocation(file, path: path)
            let opened = try DatabasePool(path: location.name, configuration: configuration)
            lease.withLock { $0 = location.lease }
            pool = opened
            return opened
        }
    }

    /// Checks that no table is missing that an owner does not make at its start.
    ///
    /// - Throws: ``AttributionStore/StoreError``, such as
    ///   ``AttributionStore/StoreError/missingTable(path:table:isRecreated:)``.
    package func checkTables() async throws {
        let missing = try await read { [path] db in try StoreError.missingTables(path, db, isStarting: true) }
        if let first = missing.first {
            throw first
        }
    }

    /// The version of SQLite.
    package static var sqliteVersion: String {
        String(cString: sqlite3_libversion())
    }
}
