/// An impression of either framework, checked and ready to be signed.
package enum Impression: Hashable, Sendable {
    /// One of SKAdNetwork.
    case skAdNetwork(SKAdNetworkImpression)
    /// One of AdAttributionKit.
    case adAttributionKit(AdAttributionKitImpression)
}
