import AttributionStore
import Foundation

/// The path or URI with which SQLite reads a database without modifying it.
///
/// Readers of a log share its index, the `-shm`, which the first of them creates. If there is none and none can be
/// created, the file is opened as immutable, and a shared lease keeps owners out.
struct ReadingLocation: Sendable {
    /// The path or URI for SQLite.
    let name: String
    /// Must be held while the file is read.
    let lease: StoreLease?

    /// Finds out how a file can be read.
    ///
    /// - Throws: ``AttributionStore/StoreError/logUnreadable(path:)`` and ``AttributionStore/StoreError/inUse(path:)``.
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

    /// The URI that opens a file as immutable.
    static func immutable(_ path: String) -> String {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: ";?#")
        return "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path) + "?immutable=1"
    }
}
