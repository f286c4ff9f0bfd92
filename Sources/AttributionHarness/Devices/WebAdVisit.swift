package import Attribution

/// What a device got for tapping a web ad.
package struct WebAdVisit: Sendable {
    /// The impression the device remembers; nil when it dropped the payload or got none.
    package var impression: SKAdNetworkImpression?
    /// `status` of the answer to the postback; nil when none was sent or answered.
    package var postbackStatus: String?
    /// Everything that is not as it must be, in words.
    package var problems: [String] = []
}
