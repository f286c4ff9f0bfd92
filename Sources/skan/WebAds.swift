import AttributionIngest
import AttributionSigning
import AttributionStore
import Logging

/// What a server with signing keys needs for web ads.
struct WebAds {
    let responder: WebAdResponder
    let issuer: WebAdIssuer
    private let ledger: SQLiteWebAdLedger

    init(store: String, signer: NetworkSigner, logger: Logger) throws {
        ledger = try SQLiteWebAdLedger(path: SQLiteWebAdLedger.path(besideStore: store))
        responder = WebAdResponder(ledger: ledger, signer: signer, logger: logger)
        issuer = WebAdIssuer(ledger: ledger, signer: signer)
    }

    func close() throws {
        try ledger.close()
    }
}
