package import AttributionStore
package import PostgreSQLStore
import SQLiteStore

/// Where a store is: a file of SQLite, or a database of PostgreSQL.
package enum StoreLocation: Sendable {
    case file(String)
    case database(PostgreSQLAddress)

    /// Reads what was given as `--store`.
    ///
    /// - Parameter text: A path, or an address that begins with `postgresql://`.
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

    /// The owner of the web ads beside a file, or those of a database; nil for a file that has none.
    ///
    /// - Parameter makesFile: Whether a file is made that is missing.
    /// - Returns: The web ads.
    /// - Throws: ``AttributionStore/StoreError``.
    package func makeWebAds(makesFile: Bool) throws -> (any WebAdCopying)? {
        switch self {
        case .file(let store):
            let path = SQLiteWebAdLedger.path(besideStore: store)
            return makesFile || SQLiteWebAdLedger.exists(path) ? try SQLiteWebAdLedger(path: path) : nil
        case .database(let address):
            return PostgreSQLWebAdLedger(address)
        }
    }

    /// The owner of a file, or one more node of a database.
    ///
    /// - Parameters:
    ///   - settings: What is counted how, and what is kept.
    ///   - requiresSynchronous: Whether nothing is recorded that the loss of one server of a database would lose.
    ///   - onEvent: Told what an operator should hear of, on any thread.
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
