/// The paths that a listener serves, and what its requests are handed over with.
package struct IngressRoutes: Sendable {
    /// The routes, with their indices.
    package let routes: [IngressRoute]
    /// The header fields that requests are handed over with, in lower case.
    let fields: [String]
    /// Whether requests are handed over with their targets.
    let keepsTargets: Bool
    /// Whether a request of a route with a media type must name it, also without a body.
    let requireMediaType: Bool
    /// Whether tokens decide about requests, which are then counted by the holder.
    let haveCallers: Bool
    /// Makes the page on which a browser shows a refusal of the listener; nil for a listener without pages.
    package var refusalPage: (@Sendable (IngressRefusal) -> IngressAnswer)?
    private let patterns: [Pattern]
    private let hint: @Sendable (_ path: String) -> String

    /// Makes routes for JSON that is posted, without regard to who posts it.
    package init(_ paths: [String]) {
        self.init(paths.map { IngressRoute($0) })
    }

    package init(
        _ routes: [IngressRoute], fields: [String] = [], keepsTargets: Bool = false, requireMediaType: Bool = false,
        haveCallers: Bool = false, hint: (@Sendable (_ path: String) -> String)? = nil
    ) {
        self.routes = routes.enumerated().map { index, route in
            var route = route
            route.index = index
            return route
        }
        self.fields = fields
        self.keepsTargets = keepsTargets
        self.requireMediaType = requireMediaType
        self.haveCallers = haveCallers
        patterns = routes.map { Pattern($0.path) }
        let list = routes.map(\.path).joined(separator: ", ")
        self.hint = hint ?? { _ in "post to one of \(list)" }
    }

    /// What to do about a path that is not served.
    func hint(for target: String) -> String {
        hint(String(target.prefix { $0 != "?" }))
    }

    /// The routes that reserved connections serve.
    var probes: String {
        routes.filter(\.servesProbes).map(\.path).joined(separator: ", ")
    }

    /// The route that a request target names, whatever the method; nil when none has its path.
    ///
    /// Takes the origin form (`/path?query`) and the absolute form (`http://host/path?query`). Nothing is decoded: a
    /// percent-encoded spelling of a path is another path.
    ///
    /// - SeeAlso: RFC 9112, section 3.2.
    package func route(requestTarget target: String) -> IngressRoute? {
        Array(target.utf8).withUnsafeBytes { route(.post, requestTarget: $0).route }
    }

    /// The route of a request.
    func route(
        _ method: IngressMethod, requestTarget target: UnsafeRawBufferPointer
    ) -> (route: IngressRoute?, allowed: String?) {
        guard let path = Self.path(of: target) else { return (nil, nil) }
        var others: [IngressRoute] = []
        for index in patterns.indices where patterns[index].matches(path) {
            if routes[index].answers(method) { return (routes[index], nil) }
            others.append(routes[index])
        }
        return (others.first, others.isEmpty ? nil : others.map(\.methods).joined(separator: ", "))
    }

    private static let longestTarget = 1_024

    /// The path of a target, without a trailing slash; nil when it is longer than any that is served.
    private static func path(of target: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        // No path and host together are that long, so a longer target is not searched.
        var path = target.prefix(longestTarget).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.count < longestTarget else { return nil }
        if path.first != UInt8(ascii: "/") {
            guard let afterScheme = authorityStart(of: UnsafeRawBufferPointer(rebasing: path)) else { return nil }
            path = path[afterScheme...].drop { $0 != UInt8(ascii: "/") }
        }
        if path.last == UInt8(ascii: "/") { path = path.dropLast() }
        return path
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

    /// A path to compare with, as bytes.
    private struct Pattern {
        private let bytes: [UInt8]
        /// Whether one more element follows, which may be any.
        private let isOpen: Bool

        init(_ path: String) {
            isOpen = path.hasSuffix("}")
            let fixed = path.utf8.prefix { $0 != UInt8(ascii: "{") }
            bytes = Array(fixed.last == UInt8(ascii: "/") && !isOpen ? fixed.dropLast() : fixed)
        }

        func matches(_ path: Slice<UnsafeRawBufferPointer>) -> Bool {
            guard isOpen else { return path.count == bytes.count && path.elementsEqual(bytes) }
            return path.count > bytes.count && path.starts(with: bytes)
                && !path.dropFirst(bytes.count).contains(UInt8(ascii: "/"))
        }
    }
}
