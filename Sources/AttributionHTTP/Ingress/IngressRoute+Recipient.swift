public import Attribution

extension IngressRoute {
    /// Whose copies come to the path.
    public var recipient: Delivery.Recipient {
        switch self {
        case .skAdNetworkPostback, .adAttributionKitPostback: .network
        case .skAdNetworkDeveloperCopy, .adAttributionKitDeveloperCopy: .developer
        }
    }
}
