package import Attribution
package import AttributionSigning
package import CodedErrors
package import Metrics
import StrictJSON

/// The result of a tap on a web ad.
package enum WebAdOutcome: Sendable {
    /// The payload; its nonce is used up on disk.
    case signed(SignedSKAdNetworkImpression)
    /// The tap is refused.
    case refused(WebAdRefusal)
    /// The server has no signing keys.
    case noSigningKeys
    /// The server has no key for the ad's network; the nonce is still unused.
    case keyMissing(adNetworkID: String)
    /// The external signer of the ad's network does not sign now; the nonce is still unused.
    case signerUnavailable(ExternalSignerError)
    /// Too many taps are waiting, or the server is stopping; the nonce is still unused.
    case overloaded
    /// The store or the signer failed; the nonce is still unused, unless the failure came after the commit.
    case failed

    /// The payload, or why there is none.
    package var result: Result<SignedSKAdNetworkImpression, Refusal> {
        switch self {
        case .signed(let impression): .success(impression)
        case .refused(let refusal): .failure(Refusal(refusal))
        case .noSigningKeys:
            .failure(
                Refusal(
                    .noSigningKeys,
                    "this server was started without --signing-keys and cannot answer taps on web ads; "
                        + "the nonce is still unused",
                    hint: "start it with --signing-keys FILE (SKAN_SIGNING_KEYS)"))
        case .keyMissing(let adNetworkID):
            .failure(
                Refusal(
                    .keyMissing,
                    "the server no longer has a key to sign version 4.0 for \(adNetworkID.shortened(to: 60)); "
                        + "the nonce is still unused",
                    hint: "add one to its --signing-keys, and send it SIGHUP"))
        case .signerUnavailable(let error):
            .failure(Refusal(error.code, error.message + "; the nonce is still unused", hint: "send it again"))
        case .overloaded:
            .failure(
                Refusal(.overloaded, "too many taps are waiting; the nonce is still unused", hint: "send it again"))
        case .failed:
            .failure(Refusal(.storeFailed, "the store or the signer does not answer", hint: "send it again"))
        }
    }

    /// The label of the counter: the code of the refusal, or `signed`.
    package var label: String {
        switch result {
        case .success: "signed"
        case .failure(let refusal): refusal.code.rawValue
        }
    }

    /// Counts taps, each counter at most once.
    ///
    /// - Parameters:
    ///   - outcomes: Their outcomes.
    ///   - factory: Where they are counted.
    package static func count(_ outcomes: [WebAdOutcome], in factory: any MetricsFactory = MetricsSystem.factory) {
        var counts: [String: Int64] = [:]
        for outcome in outcomes { counts[outcome.label, default: 0] += 1 }
        for (label, count) in counts {
            Counter(label: "skan_web_ad_taps_total", dimensions: [("outcome", label)], factory: factory)
                .increment(by: count)
        }
    }
}
