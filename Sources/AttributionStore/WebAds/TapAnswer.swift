package import Attribution

/// A tap on a web ad, and when it was received.
package struct ReceivedTap: Hashable, Sendable {
    /// The device's request.
    package let tap: WebAdTap
    /// When it was received; the payload's timestamp.
    package let receivedAt: UnixMilliseconds

    /// Makes a received tap.
    package init(_ tap: WebAdTap, at receivedAt: UnixMilliseconds) {
        self.tap = tap
        self.receivedAt = receivedAt
    }
}

/// What a ledger answers to a tap.
package enum TapAnswer: Sendable {
    /// The impression; its nonce is used up on disk.
    case signed(SignedSKAdNetworkImpression)
    /// The tap is refused.
    case refused(WebAdRefusal)
    /// No signature could be made; the nonce is still unused.
    case unsigned(any Error)
}
