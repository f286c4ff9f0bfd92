package import AttributionStore
import Foundation
import Platform
package import PostgreSQLStore
package import SQLiteStore

/// Where a store is: a file of SQLite, or a database of PostgreSQL.
package enum StoreLocation: Sendable {
    case file(String)
    case database(PostgreSQLAddress)

    /// Reads what was given as `--store`: a path, or an address that begins with `postgresql://`.
    package init(_ text: String) throws(StoreError) {
        self = PostgreSQLAddress.isAddress(text) ? .database(try PostgreSQLAddress(text)) : .file(text)
    }

    /// The path as given, or the address without secrets.
    package var name: String {
        switch self {
        case .file(let path): path
        case .database(let address): address.description
        }
    }

    package func makeReader() throws -> any LedgerReading {
        switch self {
        case .file(let path): try SQLiteLedgerReader(path)
        case .database(let address): PostgreSQLLedgerReader(address)
        }
    }

    /// A reader for a copy of the store.
    package func makeCopySource() throws -> any LedgerCopySource {
        switch self {
        case .file(let path): try SQLiteLedgerReader(path)
        case .database(let address): PostgreSQLLedgerReader(address)
        }
    }

    /// Keeps owners out of a file that receives no more; nil for a database, whose nodes nobody can see.
    ///
    /// Throws ``AttributionStore/StoreError/inUse(path:)`` if the file has an owner.
    package func holdStopped() throws -> StoreLease? {
        switch self {
        case .file(let path): try StoreLease(sharing: path)
        case .database: nil
        }
    }

    /// The owner of the web ads beside a file, or those of a database; nil for a file that has none and makes none.
    package func makeWebAds(makesFile: Bool) throws -> (any WebAdCopying)? {
        switch self {
        case .file(let store):
            let path = SQLiteWebAdLedger.path(besideStore: try ResolvedPath(store: store).text)
            return makesFile || SQLiteWebAdLedger.exists(path) ? try SQLiteWebAdLedger(path: path) : nil
        case .database(let address):
            return PostgreSQLWebAdLedger(address)
        }
    }

    /// The owner of a file, or one more node of a database; with `requiresSynchronous` nothing is recorded that the loss
    /// of one server of a database would lose.
    package func makeWriter(
        settings: LedgerSettings = LedgerSettings(),
        requiresSynchronous: Bool = false,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) throws -> any LedgerImporting & DestinationWriting {
        switch self {
        case .file(let path):
            try SQLiteLedgerWriter(path: path, settings: settings, onEvent: onEvent)
        case .database(let address):
            try PostgreSQLLedgerWriter(
                address, settings: settings, requiresSynchronous: requiresSynchronous, onEvent: onEvent)
        }
    }

    /// Whether it is a file that is missing or empty; of a database nobody knows before it is reached.
    var isNewFile: Bool {
        guard case .file(let path) = self else { return false }
        return (StorePart.database.bytes(ofStore: path) ?? 0) == 0
    }

    /// The sizes of the parts of a file that exist; none of a database.
    var sizes: [(name: String, bytes: Int64)] {
        guard case .file(let path) = self else { return [] }
        return StorePart.allCases.compactMap { part in part.bytes(ofStore: path).map { (part.rawValue, $0) } }
    }

    /// A file's folder, and the free bytes of its file system and all of them; nil for a database.
    package var disk: (folder: String, free: Int64, all: Int64)? {
        // A symlink may lead to another disk.
        guard case .file(let path) = self, let file = try? ResolvedPath(path).text else { return nil }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        guard let figures = try? FileManager.default.attributesOfFileSystem(forPath: folder),
            let free = (figures[.systemFreeSize] as? NSNumber)?.int64Value,
            let all = (figures[.systemSize] as? NSNumber)?.int64Value
        else {
            return nil
        }
        return (folder, free, all)
    }
}
