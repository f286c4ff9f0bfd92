import AttributionIngest
import AttributionListener
import AttributionSigning
import AttributionStore
import Logging
import PostgreSQLStore
import SQLiteStore

/// The parts a server with signing keys needs for web ads.
struct WebAds {
    let responder: WebAdResponder
    let issuer: WebAdIssuer
    private let ledger: any WebAdWriting

    init(
        store: StoreLocation,
        signer: CurrentSigner,
        requestSignatures: @escaping RequestSignatures,
        logger: Logger,
        onEvent: @escaping @Sendable (StoreEvent) -> Void
    ) throws {
        ledger =
            switch store {
            case .file(let path):
                try SQLiteWebAdLedger(path: SQLiteWebAdLedger.path(besideStore: path), onEvent: onEvent)
            case .database(let address):
                PostgreSQLWebAdLedger(address)
            }
        responder = WebAdResponder(
            ledger: ledger, signer: signer, requestSignatures: requestSignatures,
            answeringTogether: Ingress.answerTogether, logger: logger)
        issuer = WebAdIssuer(ledger: ledger, signer: signer)
    }

    /// Whether taps can be answered now.
    var health: StoreHealth {
        ledger.health
    }

    /// Maintains the file.
    func heartbeat() {
        ledger.heartbeat()
    }

    /// From now on, waits at most half a second for other programs' locks.
    func prepareToClose() {
        ledger.prepareToClose()
    }

    func close() throws -> StoreEnding {
        try ledger.close()
    }
}
