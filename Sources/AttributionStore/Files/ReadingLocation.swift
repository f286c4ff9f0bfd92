import Foundation

/// Where SQLite is to read a database without changing a byte of it.
///
/// Readers of a log share an index of it, the `-shm`, which the first of them makes. Where there is none and none can be
/// made, the file is read as one that does not change, which a lease guarantees.
struct ReadingLocation: Sendable {
    /// The path or URI for SQLite.
    let name: String
    /// To be kept as long as the file is read.
    let lease: StoreLease?

    /// Finds out how a file can be read.
    ///
    /// - Throws: ``StoreError/logUnreadable(path:)`` and ``StoreError/inUse(path:)``.
    init(_ file: StoreFile, path: String) throws(StoreError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(path + "-shm", F_OK) != 0, access(folder, W_OK) != 0 else {
            name = path
            lease = nil
            return
        }
        guard (FileStatus(path: path + "-wal")?.size ?? 0) == 0 else {
            throw .logUnreadable(path: path)
        }
        guard let lease = file.leaseShared() else {
            throw .inUse(path: path)
        }
        name = Self.immutable(path)
        self.lease = lease
    }

    /// The name of a file that does not change while it is open.
    static func immutable(_ path: String) -> String {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: ";?#")
        return "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path) + "?immutable=1"
    }
}
