/// A signed impression of either framework.
package enum SignedImpression: Hashable, Sendable {
    /// An SKAdNetwork impression.
    case skAdNetwork(SignedSKAdNetworkImpression)
    /// An AdAttributionKit impression.
    case adAttributionKit(SignedAdAttributionKitImpression)
}

extension Impression {
    /// The network that signs it, spelt as it is signed.
    package var adNetworkID: AdNetworkID {
        switch self {
        case .skAdNetwork(let impression): impression.adNetworkID
        case .adAttributionKit(let impression): impression.adNetworkIdentifier
        }
    }
}
