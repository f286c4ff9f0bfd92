/// A signed impression of either framework.
package enum SignedImpression: Hashable, Sendable {
    /// A signed SKAdNetwork impression.
    case skAdNetwork(SignedSKAdNetworkImpression)
    /// A signed AdAttributionKit impression.
    case adAttributionKit(SignedAdAttributionKitImpression)
}
