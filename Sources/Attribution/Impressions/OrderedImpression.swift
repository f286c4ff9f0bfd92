/// An impression of either framework, checked and ready to be signed.
package enum OrderedImpression: Hashable, Sendable {
    /// One of SKAdNetwork.
    case skAdNetwork(Impression)
    /// One of AdAttributionKit.
    case adAttributionKit(AppImpression)
}
