import Attribution
import AttributionSigning
package import AttributionStore
import Logging
import Platform
package import PostgreSQLStore
package import SQLiteStore

/// The store of a server, and what reads and writes it.
struct ServerStorage: Sendable {
    let location: StoreLocation
    let ledger: any LedgerWriting
    let reader: any LedgerReading
    var webAds: WebAds?

    /// Opens the store.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    init(
        opening location: StoreLocation,
        _ configuration: ServerConfiguration,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) throws {
        ledger = try location.makeWriter(
            settings: LedgerSettings(networks: OwnNetworks(configuration.networks)),
            requiresSynchronous: configuration.requiresSynchronous, onEvent: onEvent)
        // With links resolved, for what lies beside a file.
        self.location = if case .file = location { .file(ledger.name) } else { location }
        reader = try ledger.makeReader()
    }

    /// Closes the store, after everything that uses it has ended.
    ///
    /// - Returns: Whether it was closed; false when it must not be touched: its files were removed or have another owner.
    /// - Throws: An error of SQLite.
    func close(_ logger: Logger) throws -> Bool {
        reader.close()
        // The store is closed even if closing the web ads fails.
        let closedAds = Result { try webAds?.close() }
        let endings = [try ledger.close(), try closedAds.get()].compactMap(\.self)
        for case .logLeft(let reason) in endings {
            logger.warning(
                "the write-ahead log remains: keep the -wal file beside the store",
                metadata: ["store": "\(location.name)", "reason": "\(reason)"])
        }
        if case .file(let path) = location, endings.allSatisfy({ $0 == .whole }) {
            logger.info("store closed, with everything in its file", metadata: ["store": "\(path)"])
        }
        guard !endings.contains(.abandoned) else {
            logger.error(
                "stopped without closing the store: its files were removed, or it has another owner",
                metadata: ["store": "\(location.name)"])
            return false
        }
        return true
    }
}

/// Where a store is: a file of SQLite, or a database of PostgreSQL.
package enum StoreLocation: Sendable {
    case file(String)
    case database(PostgreSQLAddress)

    /// Reads what was given as `--store`.
    ///
    /// - Throws: ``AttributionStore/StoreError`` for an address that cannot be used.
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

    /// A reader.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func makeReader() throws -> any LedgerReading {
        switch self {
        case .file(let path): try SQLiteLedgerReader(path)
        case .database(let address): PostgreSQLLedgerReader(address)
        }
    }

    /// A reader for a copy of the store.
    ///
    /// - Throws: ``AttributionStore/StoreError``.
    package func makeCopySource() throws -> any LedgerCopySource {
        switch self {
        case .file(let path): try SQLiteLedgerReader(path)
        case .database(let address): PostgreSQLLedgerReader(address)
        }
    }

    /// Keeps owners out of a file that receives no more; nil for a database, whose nodes nobody can see.
    ///
    /// - Returns: What keeps them out until it is released.
    /// - Throws: ``AttributionStore/StoreError/inUse(path:)`` if the file has an owner.
    package func holdStopped() throws -> StoreLease? {
        switch self {
        case .file(let path): try StoreLease(sharing: path)
        case .database: nil
        }
    }

    /// The owner of the web ads beside a file, or those of a database; nil for a file that has none.
    ///
    /// - Returns: The web ads.
    /// - Throws: ``AttributionStore/StoreError``.
    package func makeWebAds(makesFile: Bool) throws -> (any WebAdCopying)? {
        switch self {
        case .file(let store):
            let path = SQLiteWebAdLedger.path(besideStore: try ResolvedPath(store: store).text)
            return makesFile || SQLiteWebAdLedger.exists(path) ? try SQLiteWebAdLedger(path: path) : nil
        case .database(let address):
            return PostgreSQLWebAdLedger(address)
        }
    }

    /// The owner of a file, or one more node of a database.
    ///
    /// - Returns: The writer.
    /// - Throws: ``AttributionStore/StoreError``.
    package func makeWriter(
        settings: LedgerSettings = LedgerSettings(),
        requiresSynchronous: Bool = false,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) throws -> any LedgerImporting {
        switch self {
        case .file(let path):
            try SQLiteLedgerWriter(path: path, settings: settings, onEvent: onEvent)
        case .database(let address):
            try PostgreSQLLedgerWriter(
                address, settings: settings, requiresSynchronous: requiresSynchronous, onEvent: onEvent)
        }
    }
}
