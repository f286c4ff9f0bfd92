/// An ad network that a server can sign for, as far as bidding needs to know it.
public struct BiddingNetwork: Hashable, Sendable {
    /// The id.
    public let adNetworkID: AdNetworkID
    /// The number in the IAB Tech Lab's registry; nil when it is not known, and then no range contains the network.
    public let registryID: Int64?
    /// The versions of SKAdNetwork there are active keys for, oldest first.
    public let versions: [SKAdNetworkVersion]
    /// Whether there is an active key for AdAttributionKit.
    public let signsAppImpressions: Bool

    /// Makes a network.
    public init(
        adNetworkID: AdNetworkID,
        registryID: Int64?,
        versions: [SKAdNetworkVersion],
        signsAppImpressions: Bool
    ) {
        self.adNetworkID = adNetworkID
        self.registryID = registryID
        self.versions = versions
        self.signsAppImpressions = signsAppImpressions
    }
}
