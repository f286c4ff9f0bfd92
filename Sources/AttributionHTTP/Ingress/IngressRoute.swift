import Attribution

/// A path of the public listener.
///
/// Every route is POST only. A path matches with and without its trailing slash; the query is not looked at. A new
/// route is one more case: matching, metrics and the access log follow from it.
public enum IngressRoute: CaseIterable, Hashable, Sendable {
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

    /// The path, without a trailing slash.
    public var path: String {
        switch self {
        case .skAdNetworkPostback: "/skadnetwork/postbacks"
        case .adAttributionKitPostback: "/adattributionkit/postbacks"
        case .skAdNetworkDeveloperCopy: "/.well-known/skadnetwork/report-attribution"
        case .adAttributionKitDeveloperCopy: "/.well-known/appattribution/report-attribution"
        case .webAdPayload: AttributionDestination.path
        }
    }

    /// Makes the route that a request target names; `nil` when no route has its path.
    ///
    /// Takes the origin form (`/path?query`) and the absolute form (`http://host/path?query`); nothing is decoded, so
    /// a percent-encoded spelling of a path is another path.
    ///
    /// - Parameter target: The request target as received.
    /// - SeeAlso: RFC 9112, section 3.2.
    package init?(requestTarget target: String) {
        guard let route = Array(target.utf8).withUnsafeBytes({ IngressRoute(requestTarget: $0) }) else { return nil }
        self = route
    }

    private static let longestTarget = 1_024

    private static let paths = allCases.map { ($0, Array($0.path.utf8)) }

    /// Makes the route that a request target names, from its bytes.
    ///
    /// - Parameter target: The request target as received.
    init?(requestTarget target: UnsafeRawBufferPointer) {
        // Above the longest path and host together nothing is a route; what is longer is not looked through.
        var path = target.prefix(Self.longestTarget).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.count < Self.longestTarget else { return nil }
        if path.first != UInt8(ascii: "/") {
            guard let afterScheme = Self.authorityStart(of: UnsafeRawBufferPointer(rebasing: path)) else { return nil }
            path = path[afterScheme...].drop { $0 != UInt8(ascii: "/") }
        }
        if path.last == UInt8(ascii: "/") { path = path.dropLast() }
        let match = Self.paths.first { _, bytes in path.count == bytes.count && path.elementsEqual(bytes) }
        guard let match else { return nil }
        self = match.0
    }

    /// Where the authority of an `http` or `https` URL begins; `nil` for anything else.
    static func authorityStart(of target: UnsafeRawBufferPointer) -> Int? {
        for scheme in ["http://", "https://"] where target.count > scheme.utf8.count {
            if zip(target, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) {
                return scheme.utf8.count
            }
        }
        return nil
    }
}
