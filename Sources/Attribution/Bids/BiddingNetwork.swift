/// An ad network that a server can sign for, as seen by bidding.
package struct BiddingNetwork: Hashable, Sendable {
    /// The id.
    package let adNetworkID: AdNetworkID
    /// The number in the IAB Tech Lab's registry; nil if unknown, and then no range contains the network.
    package let registryID: Int64?
    /// The versions of SKAdNetwork with active keys, oldest first.
    package let versions: [SKAdNetworkVersion]
    /// Whether there is an active key for AdAttributionKit.
    package let signsForAdAttributionKit: Bool

    /// Makes a network.
    package init(
        adNetworkID: AdNetworkID,
        registryID: Int64?,
        versions: [SKAdNetworkVersion],
        signsForAdAttributionKit: Bool
    ) {
        self.adNetworkID = adNetworkID
        self.registryID = registryID
        self.versions = versions
        self.signsForAdAttributionKit = signsForAdAttributionKit
    }
}
