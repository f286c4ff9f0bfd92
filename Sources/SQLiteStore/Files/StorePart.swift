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
    /// - Parameter path: The store's file.
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
