import Attribution
import AttributionSigning
import AttributionStore
import Logging
import PostgreSQLStore
import SQLiteStore

/// The store of a server, and what reads and writes it.
struct ServerStorage: Sendable {
    let location: StoreLocation
    let ledger: any LedgerWriting
    let reader: any LedgerReading
    var webAds: WebAds?

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - configuration: The server's configuration.
    ///   - onEvent: Told what an operator should hear of, on any thread.
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
