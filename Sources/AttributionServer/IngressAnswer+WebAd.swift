import Attribution
package import AttributionIngest
import AttributionListener
import StrictJSON

extension IngressAnswer {
    /// What a device is told of a tap on a web ad.
    ///
    /// 200 is the payload and nothing else: a device takes it for one. A refusal is 4xx, for the same bytes would be
    /// refused again; 503 is what an operator mends, and then the same bytes are answered.
    ///
    /// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
    package init(_ outcome: WebAdOutcome) {
        switch outcome {
        case .signed(let signed):
            do throws(FieldProblem) {
                self.init(status: 200, body: Array((try signed.webAdPayload().line + "\n").utf8))
            } catch {
                self = .refusal(500, "not-a-web-ad", error.description)
            }
        case .refused(let refusal):
            self = .refusal(refusal.status, refusal.code.rawValue, refusal.description)
        case .noSigningKeys:
            self = .refusal(
                503, outcome.code, "this server was started without --signing-keys and answers for no web ads",
                retryAfter: .seconds(60))
        case .noKey(let adNetworkID):
            self = .refusal(
                503, outcome.code,
                "the server has no key to sign version 4.0 for \(adNetworkID.shortened(to: 60)); "
                    + "add one to its --signing-keys. The nonce is still unused",
                retryAfter: .seconds(60))
        case .overloaded:
            self = .refusal(
                503, outcome.code, "too many taps wait; the nonce is still unused, send it again",
                retryAfter: .seconds(1))
        case .failed:
            self = .refusal(
                503, outcome.code, "the store or the signer does not answer; send it again", retryAfter: .seconds(30))
        }
    }
}

extension WebAdRefusal {
    /// The HTTP status of a refusal, RFC 9110.
    fileprivate var status: Int {
        switch self {
        // Not what a device sends.
        case .notJSON, .malformed: 400
        // Well formed, and of rules not known here: a device of a later system, told apart from garbage.
        case .unknownVersion: 422
        case .nonceUnknown: 404
        case .nonceUsed: 409
        case .nonceExpired: 410
        case .domainNotAllowed: 403
        }
    }
}
