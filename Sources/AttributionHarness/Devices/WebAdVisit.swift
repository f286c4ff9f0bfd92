package import Attribution

/// The result of tapping a web ad.
package struct WebAdVisit: Sendable {
    /// The impression that the device stores; nil if it dropped the payload or got none.
    package var impression: SKAdNetworkImpression?
    /// `status` of the answer to the postback; nil if none was sent or answered.
    package var postbackStatus: String?
    /// Messages for everything that is wrong.
    package var problems: [String] = []
}
