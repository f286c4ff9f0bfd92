/// An impression of either framework, checked and ready to sign.
package enum Impression: Hashable, Sendable {
    /// An SKAdNetwork impression.
    case skAdNetwork(SKAdNetworkImpression)
    /// An AdAttributionKit impression.
    case adAttributionKit(AdAttributionKitImpression)
}
