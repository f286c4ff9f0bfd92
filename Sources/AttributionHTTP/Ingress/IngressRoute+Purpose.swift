public import Attribution

extension IngressRoute {
    /// What is done with a request.
    public enum Purpose: Hashable, Sendable {
        /// A postback is recorded.
        case delivery(Delivery.Recipient)
        /// A tap on a web ad is answered with a signed payload.
        case webAdTap
    }

    /// What the path is for.
    public var purpose: Purpose {
        switch self {
        case .skAdNetworkPostback, .adAttributionKitPostback: .delivery(.network)
        case .skAdNetworkDeveloperCopy, .adAttributionKitDeveloperCopy: .delivery(.developer)
        case .webAdPayload: .webAdTap
        }
    }
}
