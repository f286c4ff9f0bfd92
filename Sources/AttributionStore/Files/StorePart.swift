/// A part of a store, by the files that hold it.
package enum StorePart: String, CaseIterable, Sendable {
    /// The store's file.
    case database
    /// What was committed and is not moved into the file yet.
    case wal
    /// The web ads and their log, beside the store.
    case webAds = "web_ads"

    /// Asks the file system for the size of its files.
    ///
    /// - Parameter path: The store's file.
    /// - Returns: The bytes of all of them; nil when there are none.
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
