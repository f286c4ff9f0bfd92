/// A path that a listener serves.
///
/// Every route is POST only. A path matches with and without a trailing slash; the query is ignored.
package struct IngressRoute: Hashable, Sendable {
    /// Its index among the routes of its listener.
    package let index: Int
    /// The path, without a trailing slash.
    package let path: String
    /// What its bodies are.
    package let mediaType: IngressMediaType
}

/// The media type of bodies and answers.
package enum IngressMediaType: String, Hashable, Sendable {
    /// One JSON value.
    case json = "application/json"
    /// One JSON object per line.
    case ndjson = "application/x-ndjson"
}

/// The paths that a listener serves, and what their requests must have.
package struct IngressRoutes: Sendable {
    /// The routes, in the order of their paths.
    package let routes: [IngressRoute]
    /// Whether requests are handed over with their credentials, and must name JSON as their media type.
    ///
    /// A web page cannot post that media type to another origin without asking first.
    let readCredentials: Bool
    private let paths: [[UInt8]]
    /// All paths, for a refusal.
    let list: String

    /// Makes routes.
    ///
    /// - Parameter paths: The path of each, without a trailing slash.
    package init(_ paths: [String]) {
        self.init(paths.map { ($0, .json) }, readCredentials: false)
    }

    /// Makes routes.
    ///
    /// - Parameters:
    ///   - routes: The path of each, without a trailing slash, and the media type of its bodies.
    ///   - readCredentials: Whether requests are handed over with their credentials.
    package init(_ routes: [(path: String, mediaType: IngressMediaType)], readCredentials: Bool) {
        self.readCredentials = readCredentials
        self.routes = routes.enumerated().map { index, route in
            IngressRoute(index: index, path: route.path, mediaType: route.mediaType)
        }
        let paths = routes.map(\.path)
        self.paths = paths.map { Array($0.utf8) }
        list = paths.joined(separator: ", ")
    }

    /// The route that a request target names; nil when none has its path.
    ///
    /// Takes the origin form (`/path?query`) and the absolute form (`http://host/path?query`). Nothing is decoded: a
    /// percent-encoded spelling of a path is another path.
    ///
    /// - Parameter target: The request target as received.
    /// - Returns: The route.
    /// - SeeAlso: RFC 9112, section 3.2.
    package func route(requestTarget target: String) -> IngressRoute? {
        Array(target.utf8).withUnsafeBytes { route(requestTarget: $0) }
    }

    private static let longestTarget = 1_024

    /// The route that a request target names, from its bytes.
    ///
    /// - Parameter target: The request target as received.
    /// - Returns: The route; nil when none has its path.
    func route(requestTarget target: UnsafeRawBufferPointer) -> IngressRoute? {
        // No path and host together are that long, so a longer target is not searched.
        var path = target.prefix(Self.longestTarget).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.count < Self.longestTarget else { return nil }
        if path.first != UInt8(ascii: "/") {
            guard let afterScheme = Self.authorityStart(of: UnsafeRawBufferPointer(rebasing: path)) else { return nil }
            path = path[afterScheme...].drop { $0 != UInt8(ascii: "/") }
        }
        if path.last == UInt8(ascii: "/") { path = path.dropLast() }
        let index = paths.firstIndex { path.count == $0.count && path.elementsEqual($0) }
        return index.map { routes[$0] }
    }

    /// The index at which the authority of an `http` or `https` URL begins; `nil` for anything else.
    static func authorityStart(of target: UnsafeRawBufferPointer) -> Int? {
        for scheme in ["http://", "https://"] where target.count > scheme.utf8.count {
            if zip(target, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) {
                return scheme.utf8.count
            }
        }
        return nil
    }
}
