/// An impression of either framework, checked and ready to sign.
package enum Impression: Hashable, Sendable {
    /// An SKAdNetwork impression.
    case skAdNetwork(SKAdNetworkImpression)
    /// An AdAttributionKit impression.
    case adAttributionKit(AdAttributionKitImpression)
}

extension Impression {
    /// The network that signs it.
    package var adNetworkID: AdNetworkID {
        switch self {
        case .skAdNetwork(let impression): impression.adNetworkID
        case .adAttributionKit(let impression): impression.adNetworkIdentifier
        }
    }
}
