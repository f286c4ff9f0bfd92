package import AttributionStore
import Foundation
package import Platform

extension ResolvedPath {
    /// Resolves the path of a store, beside which SQLite's files and the owner's socket are.
    ///
    /// - Throws: ``AttributionStore/StoreError/noFolder(path:folder:)`` or
    ///   ``AttributionStore/StoreError/cannotOpen(path:reason:)``.
    package init(store path: String) throws(StoreError) {
        do throws(Problem) {
            try self.init(path)
        } catch {
            guard let folder = error.missingFolder else {
                throw .cannotOpen(path: path, reason: error.reason)
            }
            throw .noFolder(path: path, folder: folder)
        }
    }
}

/// A part of a store, for the metric of file sizes.
package enum StorePart: String, CaseIterable, Sendable {
    /// The store's file.
    case database
    /// Its write-ahead log.
    case wal
    /// The web ads and their log, beside the store.
    case webAds = "web_ads"

    /// The size of its files.
    ///
    /// - Returns: The sum in bytes; nil if there are no files.
    package func bytes(ofStore path: String) -> Int64? {
        let sizes = paths(ofStore: path).compactMap { FileStatus(path: $0)?.size }
        return sizes.isEmpty ? nil : sizes.reduce(0, +)
    }

    private func paths(ofStore path: String) -> [String] {
        let webAds = SQLiteWebAdLedger.path(besideStore: path)
        return switch self {
        case .database: [path]
        case .wal: [path + "-wal"]
        case .webAds: [webAds, webAds + "-wal"]
        }
    }
}

/// The path or URI with which SQLite reads a database without modifying it.
///
/// Readers of a log share its index, the `-shm`, which the first of them creates. If there is none and none can be
/// created, or the file is a backup that no owner has taken over, it is opened as immutable, and a shared lease keeps owners
/// out.
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
        let isCopy = try file.header(path).isCopy
        guard access(path + "-shm", F_OK) != 0, isCopy || access(folder, W_OK) != 0 else {
            name = path
            lease = nil
            return
        }
        guard (FileStatus(path: path + "-wal")?.size ?? 0) == 0 else {
            throw .logUnreadable(path: path)
        }
        name = Self.immutable(path)
        lease = try StoreLease(sharing: file, path: path)
    }

    /// The URI that opens a file as immutable.
    static func immutable(_ path: String) -> String {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: ";?#")
        return "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path) + "?immutable=1"
    }
}
