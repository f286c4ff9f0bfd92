import Attribution
package import AttributionIngest
import AttributionListener
import CodedErrors
import StrictJSON

extension IngressAnswer {
    /// What a device is told of a tap on a web ad.
    ///
    /// 200 is the payload and nothing else: a device takes it for one. A refusal is 4xx, for the same bytes would be
    /// refused again; 503 is what an operator mends, and then the same bytes are answered.
    ///
    /// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
    package init(_ outcome: WebAdOutcome) {
        switch outcome.result {
        case .success(let signed):
            do throws(FieldProblem) {
                self.init(status: 200, body: Array((try signed.webAdPayload().line + "\n").utf8))
            } catch {
                // What is signed for a tap is a web ad; a fault of ours, then, and not of the tap's.
                self.init(refusing: Refusal(.signingFailed, error.message))
            }
        case .failure(let refusal): self.init(refusing: refusal)
        }
    }
}
