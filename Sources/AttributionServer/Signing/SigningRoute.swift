import AttributionListener

/// A path of the signing listener; each needs a token with the scope `sign`, when there are tokens.
package enum SigningRoute: CaseIterable, Hashable, Sendable {
    /// Signing one ad in every form and version it may be shown in.
    case impressions
    /// Signing many ads.
    case batch
    /// Signing the extensions of OpenRTB bids.
    case openRTB

    /// The path, without a trailing slash.
    package var path: String {
        switch self {
        case .impressions: "/v1/impressions"
        case .batch: "/v1/impressions/batch"
        case .openRTB: "/v1/openrtb/skadn"
        }
    }

    /// The routes of the listener.
    static let all = IngressRoutes(
        allCases.map { IngressRoute($0.path, mediaType: $0 == .batch ? .ndjson : .json) },
        fields: ["authorization", "host"],
        requireMediaType: true, haveCallers: true)

    /// The route of a request to ``all``.
    init(_ route: IngressRoute) {
        self = Self.allCases[route.index]
    }
}
