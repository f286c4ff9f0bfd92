import Foundation
import GRDB

/// Copies a database under a temporary name, and gives it its own when it is on the disk and whole.
enum StoreCopy {
    /// Copies what a connection sees.
    ///
    /// - Parameters:
    ///   - db: The connection; what it sees does not change while it is copied.
    ///   - destination: The new file; it must not exist.
    /// - Throws: ``StoreError/cannotOpen(path:reason:)`` when the destination exists or cannot be written, and what
    ///   SQLite reports.
    static func write(from db: Database, to destination: String) throws {
        let temporary = destination + ".partial"
        for path in [destination, destination + "-wal", destination + "-shm"]
        where FileManager.default.fileExists(atPath: path) {
            throw StoreError.cannotOpen(path: path, reason: "it exists already, and a copy overwrites nothing")
        }
        try? FileManager.default.removeItem(atPath: temporary)
        do {
            let copy = try DatabaseQueue(path: temporary)
            try copy.writeWithoutTransaction { copy in
                try db.backup(to: copy)
            }
            // The last to close it: what is in its log is moved into it.
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
