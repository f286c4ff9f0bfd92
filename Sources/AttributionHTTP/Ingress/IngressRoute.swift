public import Attribution

/// The paths of the public listener; nothing else is there.
public enum IngressRoute: String, CaseIterable, Hashable, Sendable {
    /// The network's copies, at the URL given at registration.
    case skAdNetworkPostbacks = "/skadnetwork/postbacks"
    /// The network's copies of AdAttributionKit; either path takes either body.
    case adAttributionKitPostbacks = "/adattributionkit/postbacks"
    /// Developers' copies of winning postbacks.
    case skAdNetworkDeveloperCopies = "/.well-known/skadnetwork/report-attribution"
    /// Developers' copies of winning postbacks of AdAttributionKit.
    case adAttributionKitDeveloperCopies = "/.well-known/appattribution/report-attribution"

    /// Finds the route of a request target: with or without a slash at the end, whatever its query.
    public init?(target: String) {
        var path = target.prefix { $0 != "?" && $0 != "#" }
        if path.utf8.last == UInt8(ascii: "/"), path.utf8.count > 1 {
            path.removeLast()
        }
        self.init(rawValue: String(path))
    }

    /// Whose copies come to the path.
    public var recipient: Delivery.Recipient {
        switch self {
        case .skAdNetworkPostbacks, .adAttributionKitPostbacks: .network
        case .skAdNetworkDeveloperCopies, .adAttributionKitDeveloperCopies: .developer
        }
    }
}
