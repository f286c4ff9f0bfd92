import Attribution
import AttributionIngest
import AttributionListener
import AttributionSigning
import AttributionStore
import Logging
import PostgreSQLStore
import SQLiteStore

/// The store of a server, and what reads and writes it.
struct ServerStorage: Sendable {
    /// What a server with signing keys needs for web ads.
    struct WebAds: Sendable {
        let responder: WebAdResponder
        let issuer: WebAdIssuer
        fileprivate let ledger: any WebAdWriting
    }

    /// The store's name as the operator gave it.
    let givenName: String
    /// Where it is, with links resolved, for what lies beside a file.
    let location: StoreLocation
    /// Whether its file was made now.
    let isNew: Bool
    let ledger: any LedgerWriting
    /// The same, as what keeps how far destinations have come.
    let destinations: any DestinationWriting
    let reader: any LedgerReading
    private(set) var webAds: WebAds?

    /// Opens the store; `onEvent` is told what an operator should hear of, on any thread.
    init(
        opening location: StoreLocation,
        _ configuration: ServerConfiguration,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) throws {
        givenName = location.name
        isNew = location.isNewFile
        let writer = try location.makeWriter(
            settings: LedgerSettings(
                networks: OwnNetworks(configuration.networks), makesStore: configuration.makesStore),
            requiresSynchronous: configuration.requiresSynchronous, onEvent: onEvent)
        (ledger, destinations) = (writer, writer)
        self.location = if case .file = location { .file(ledger.name) } else { location }
        reader = try ledger.makeReader()
    }

    mutating func openWebAds(
        _ signer: CurrentSigner, _ requestSignatures: @escaping RequestSignatures, _ logger: Logger,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) throws {
        let ads: any WebAdWriting =
            switch location {
            case .file(let path):
                try SQLiteWebAdLedger(path: SQLiteWebAdLedger.path(besideStore: path), onEvent: onEvent)
            case .database(let address):
                PostgreSQLWebAdLedger(address)
            }
        webAds = WebAds(
            responder: WebAdResponder(
                ledger: ads, signer: signer, requestSignatures: requestSignatures,
                answeringTogether: Ingress.answerTogether, logger: logger),
            issuer: WebAdIssuer(ledger: ads, signer: signer), ledger: ads)
    }

    /// Whether postbacks can be recorded, and web ads answered.
    var health: StoreHealth {
        let health = ledger.health
        guard health == .ready, let ads = webAds?.ledger.health, let reason = ads.reason else { return health }
        return .failing(reason: "web ads: \(reason)", hint: ads.hint)
    }

    /// Maintains the files.
    func heartbeat() {
        ledger.heartbeat()
        webAds?.ledger.heartbeat()
    }

    /// From now on, waits at most half a second for other programs' locks.
    func prepareToClose() {
        ledger.prepareToClose()
        webAds?.ledger.prepareToClose()
    }

    /// Closes the store, after everything that uses it has ended.
    ///
    /// - Returns: Whether it was closed; false when it must not be touched: its files were removed or have another owner.
    /// - Throws: An error of SQLite.
    func close(_ logger: Logger) throws -> Bool {
        reader.close()
        // The store is closed even if closing the web ads fails.
        let closedAds = Result { try webAds?.ledger.close() }
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
