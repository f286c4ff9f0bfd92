import AttributionStore
import Foundation
import GRDB

/// Copies a database under a temporary name, and renames it once it is complete and on disk.
enum StoreCopy {
    /// Copies a database.
    ///
    /// - Parameters:
    ///   - db: The connection, in a transaction or as the only writer.
    ///   - destination: The new file, which must not exist.
    /// - Throws: ``AttributionStore/StoreError/cannotOpen(path:reason:)`` if the destination exists or cannot be
    ///   written, and SQLite's errors.
    static func write(from db: Database, to destination: String) throws {
        let temporary = destination + ".partial"
        for path in [destination, destination + "-wal", destination + "-shm"]
        where FileManager.default.fileExists(atPath: path) {
            throw StoreError.cannotOpen(path: path, reason: "it already exists, and a copy never overwrites a file")
        }
        try? FileManager.default.removeItem(atPath: temporary)
        do {
            let copy = try DatabaseQueue(path: temporary)
            try copy.writeWithoutTransaction { copy in
                try db.backup(to: copy)
                let id = try UInt32.fetchOne(copy, sql: "PRAGMA application_id") ?? 0
                try copy.execute(sql: "PRAGMA application_id = \(StoreSchema.ofCopy(id))")
            }
            // Closing the last connection checkpoints the copy's log.
            try copy.close()
            try synchronize(temporary)
            guard rename(temporary, destination) == 0 else {
                throw StoreError.cannotOpen(path: destination, reason: String(cString: strerror(errno)))
            }
            try synchronize(URL(fileURLWithPath: destination).deletingLastPathComponent().path)
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: temporary + suffix)
            }
            throw error
        }
    }

    private static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StoreError.cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw StoreError.cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
    }
}
