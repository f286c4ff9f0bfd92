package import AttributionStore
import Foundation
import GRDB
import GRDBSQLite
import Platform
import Synchronization

/// Reads a store of postbacks without modifying it.
///
/// There may be any number of readers, with or without an owner.
package final class SQLiteLedgerReader: LedgerReading {
    package let path: String
    private let file: StoreFile
    private let pool = Mutex<DatabasePool?>(nil)
    private let lease = Mutex<StoreLease?>(nil)

    /// Checks that a file is a store; the first query opens it.
    ///
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

    /// Reads in one snapshot, optionally in the background.
    func read<Result: Sendable>(
        inBackground: Bool = false, _ work: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await StoreError.translating(path) {
            guard inBackground else {
                return try await connection().read(work)
            }
            return try await BackgroundWork.run { try self.connection().read(work) }
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
            configuration.busyMode = .timeout(10)
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

    package static var sqliteVersion: String {
        String(cString: sqlite3_libversion())
    }
}
