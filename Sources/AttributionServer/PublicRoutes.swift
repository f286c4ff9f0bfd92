import Attribution
package import AttributionListener
package import StrictJSON

/// What the public listener serves: the paths of ``PublicRoute``, more of the operator's for postbacks, and liveness.
package struct PublicRoutes: Sendable {
    /// The paths at which load balancers and orchestrators ask whether the process answers.
    package static let livenessPaths = ["/", "/healthz"]
    /// More than any path that Apple's form takes.
    private static let longestPath = 256

    /// The routes of the listener.
    package let routes: IngressRoutes
    /// What is done with a request, by the index of its route.
    private let purposes: [PublicRoute.Purpose]

    /// Makes the routes.
    ///
    /// - Parameter postbackPaths: Further paths at which the network's postbacks arrive.
    /// - Throws: ``StrictJSON/FieldProblem`` for what is not the path of a URL, or is served already.
    package init(postbackPaths: [String] = []) throws(FieldProblem) {
        var paths = PublicRoute.allCases.map(\.path)
        var purposes = PublicRoute.allCases.map(\.purpose)
        for path in postbackPaths {
            paths.append(try Self.checked(path, besides: paths))
            purposes.append(.delivery(.network))
        }
        let list = paths.joined(separator: ", ")
        routes = IngressRoutes(
            paths.map { IngressRoute($0) }
                + Self.livenessPaths.map { IngressRoute($0, method: .get, answersHead: true, mediaType: nil) },
            hint: { _ in "post to one of \(list); skan serve --postback-path adds another" })
        self.purposes = purposes + Self.livenessPaths.map { _ in .liveness }
    }

    /// What is done with a request to one of ``routes``.
    func purpose(of route: IngressRoute) -> PublicRoute.Purpose {
        purposes[route.index]
    }

    private static func checked(_ path: String, besides others: [String]) throws(FieldProblem) -> String {
        let allowed = Array("/-._~!$&'()*+,;=:@%".utf8)
        let isPath = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: allowed.contains(byte)
            }
        }
        guard path.hasPrefix("/"), isPath, path.utf8.count <= longestPath else {
            throw FieldProblem(
                field: "--postback-path", found: "\"\(path.shortened(to: 80))\"",
                expected: "the path of the URL registered with Apple, such as /postbacks: without host and query, "
                    + "of at most \(longestPath) bytes")
        }
        // A path matches with and without a trailing slash.
        let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard !others.contains(trimmed) else {
            throw FieldProblem(
                field: "--postback-path", found: "\"\(trimmed)\"", expected: "a path that is not served already")
        }
        return trimmed
    }
}

extension IngressAnswer {
    /// The answer to a question for liveness: the same whatever the state of the server, and nothing in it.
    static let alive = IngressAnswer(status: 200, body: [], mediaType: nil)
}
