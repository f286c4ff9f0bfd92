/// An impression of either framework, checked and ready to be signed.
public enum OrderedImpression: Hashable, Sendable {
    /// One of SKAdNetwork.
    case skAdNetwork(Impression)
    /// One of AdAttributionKit.
    case adAttributionKit(AppImpression)
}
