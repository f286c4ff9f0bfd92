import Attribution
package import AttributionIngest
import AttributionListener
import CodedErrors
import StrictJSON

extension IngressAnswer {
    /// Makes the answer to a tap on a web ad.
    ///
    /// 200 always carries a payload, because a device takes the body for one. A refusal is 4xx: the same bytes would be
    /// refused again. 503 is a failure that an operator can fix.
    ///
    /// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
    package init(_ outcome: WebAdOutcome) {
        switch outcome.result {
        case .success(let signed):
            do throws(FieldProblem) {
                self.init(status: 200, body: try signed.webAdPayload().lineBytes)
            } catch {
                // A signed tap is always a web ad, so this is an internal error.
                self.init(refusing: Refusal(.signingFailed, error.message))
            }
        case .failure(let refusal): self.init(refusing: refusal)
        }
    }
}
