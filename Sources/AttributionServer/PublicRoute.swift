package import Attribution
import AttributionListener

/// A path of the public listener.
///
/// A new route is one more case: matching, metrics and the access log follow from it.
package enum PublicRoute: CaseIterable, Hashable, Sendable {
    /// Postbacks of SKAdNetwork at the network's registered URL.
    case skAdNetworkPostback
    /// Postbacks of AdAttributionKit at the network's registered URL.
    case adAttributionKitPostback
    /// Copies of winning SKAdNetwork postbacks for the developer.
    case skAdNetworkDeveloperCopy
    /// Copies of winning AdAttributionKit postbacks for the developer.
    case adAttributionKitDeveloperCopy
    /// Taps on web ads, answered with signed payloads.
    case webAdPayload

    /// What is done with a request.
    package enum Purpose: Hashable, Sendable {
        /// A postback is recorded.
        case delivery(Delivery.Recipient)
        /// A tap on a web ad is answered with a signed payload.
        case webAdTap
    }

    /// The path, without a trailing slash.
    package var path: String {
        switch self {
        case .skAdNetworkPostback: "/skadnetwork/postbacks"
        case .adAttributionKitPostback: "/adattributionkit/postbacks"
        case .skAdNetworkDeveloperCopy: "/.well-known/skadnetwork/report-attribution"
        case .adAttributionKitDeveloperCopy: "/.well-known/appattribution/report-attribution"
        case .webAdPayload: AttributionDestination.path
        }
    }

    /// What the path is for.
    package var purpose: Purpose {
        switch self {
        case .skAdNetworkPostback, .adAttributionKitPostback: .delivery(.network)
        case .skAdNetworkDeveloperCopy, .adAttributionKitDeveloperCopy: .delivery(.developer)
        case .webAdPayload: .webAdTap
        }
    }

    /// The routes of the listener.
    static let all = IngressRoutes(allCases.map(\.path))

    /// The route of a request to ``all``.
    init(_ route: IngressRoute) {
        self = Self.allCases[route.index]
    }
}
