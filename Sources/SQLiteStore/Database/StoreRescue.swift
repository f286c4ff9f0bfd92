import AttributionStore
import Foundation
import GRDB

/// Copies a store whose files were moved, removed or replaced, through the connection that still has them open.
enum StoreRescue {
    /// Saves what can be saved.
    ///
    /// - Returns: A message that says what was saved, where, and what to do.
    static func save(_ path: String, after loss: StoreLoss, isSetAside: Bool, _ db: Database) -> String {
        switch loss {
        case .storeTruncated, .logTruncated:
            return isSetAside
                ? setAside(path)
                : "its newest commits may be missing; move it, its -wal and its -shm away, and restore a backup"
        case .storeMoved, .logMoved:
            let destination = path + mark + stamp
            do {
                try StoreCopy.write(from: db, to: destination)
                return "everything was copied to \(destination); "
                    + "move it to \(path) and any files at \(path)-wal and \(path)-shm away, and restart"
            } catch {
                let reason = (error as? DatabaseError).map { StoreFault($0).words } ?? "\(error)"
                return "it could not be copied to \(destination): \(reason); "
                    + "do not stop this process until its open files are saved (/proc/\(getpid())/fd)"
            }
        }
    }

    private static let mark = ".rescued-"

    /// The newest copy that was saved beside a path.
    static func newestCopy(of path: String) -> String? {
        let store = URL(fileURLWithPath: path)
        let folder = store.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        // A program that looked into one may have left a log beside it.
        return names.filter { name in
            name.hasPrefix(store.lastPathComponent + mark)
                && ![".partial", "-wal", "-shm"].contains(where: name.hasSuffix)
        }.max().map { folder.appendingPathComponent($0).path }
    }

    private static func setAside(_ path: String) -> String {
        let aside = "\(path).damaged-\(stamp)"
        for suffix in ["", "-wal", "-shm"] where rename(path + suffix, aside + suffix) != 0 && errno != ENOENT {
            return "its newest commits may be missing; stop, move it, its -wal and its -shm away, and start"
        }
        return "its newest commits may be missing, so it was moved to \(aside); restart, or restore a backup"
    }

    private static var stamp: String {
        Date().ISO8601Format(.iso8601(timeZone: .gmt, dateSeparator: .omitted, timeSeparator: .omitted))
    }
}

/// Copies a database under a temporary name, and renames it once it is complete and on disk.
enum StoreCopy {
    /// Copies a database.
    ///
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

    /// Waits until a file or folder is on disk.
    static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
    }
}
