import AttributionIngest
import AttributionSigning
import AttributionStore
import Logging

/// What a server with signing keys needs for web ads.
struct WebAds {
    let responder: WebAdResponder
    let issuer: WebAdIssuer
    private let ledger: SQLiteWebAdLedger

    init(
        store: String,
        signer: CurrentSigner,
        logger: Logger,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) throws {
        ledger = try SQLiteWebAdLedger(path: SQLiteWebAdLedger.path(besideStore: store), onEvent: onEvent)
        responder = WebAdResponder(ledger: ledger, signer: signer, logger: logger)
        issuer = WebAdIssuer(ledger: ledger, signer: signer)
    }

    /// Whether taps can be answered now.
    var health: StoreHealth {
        ledger.health
    }

    /// Looks after the file.
    func heartbeat() {
        ledger.heartbeat()
    }

    /// Waits for other programs' locks for half a second at most from now on.
    func prepareToClose() {
        ledger.prepareToClose()
    }

    func close() throws -> StoreEnding {
        try ledger.close()
    }
}
