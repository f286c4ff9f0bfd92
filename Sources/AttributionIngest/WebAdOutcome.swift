package import Attribution

/// What became of a tap on a web ad.
package enum WebAdOutcome: Sendable {
    /// The payload; its nonce is used up on disk.
    case signed(SignedSKAdNetworkImpression)
    /// The tap is refused.
    case refused(WebAdRefusal)
    /// The server was given no signing keys.
    case noSigningKeys
    /// The server's keys lack one for the ad's network; the nonce is as it was.
    case noKey(adNetworkID: String)
    /// Too many wait, or the server stops; the nonce is as it was.
    case overloaded
    /// The store or the signer failed; the nonce is as it was, unless the store lost its word after the commit.
    case failed

    /// A stable code, the label of the counter.
    package var code: String {
        switch self {
        case .signed: "signed"
        case .refused(let refusal): refusal.code.rawValue
        case .noSigningKeys: "no-signing-keys"
        case .noKey: "no-key"
        case .overloaded: "overloaded"
        case .failed: "store-failed"
        }
    }
}
