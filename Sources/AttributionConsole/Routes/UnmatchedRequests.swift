import CodedErrors
import HTTPTypes
import Hummingbird

/// Answers requests that match no route of the console, by path or by method.
struct UnmatchedRequests: RouterMiddleware {
    /// The beginnings of paths that only the signing listener serves.
    private static let signing = ["/v1/impressions", "/v1/openrtb/"]

    private let paths: [(elements: [Substring], methods: [HTTPRequest.Method])]

    /// Makes the middleware for some routes.
    init(routes: [ConsoleRoute]) {
        paths = Dictionary(grouping: routes.map(\.definition)) { Self.elements(of: $0.path) }
            .map { ($0.key, $0.value.map(\.method)) }
    }

    @concurrent func handle(
        _ request: Request,
        context: ConsoleContext,
        next: @concurrent (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        let response: Response
        let elements = Self.elements(of: request.uri.path)
        if let methods = paths.first(where: { Self.matches(elements, $0.elements) })?.methods {
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            response = .refusing(
                Refusal(.methodNotAllowed, "found another method, expected \(allowed)"), fields: [.allow: allowed])
        } else {
            let isMoved = Self.signing.contains { request.uri.path.hasPrefix($0) }
            response = .refusing(
                Refusal(
                    .notFound, "there is no route at this path",
                    hint: isMoved
                        ? "signing has a listener of its own: skan serve --signing HOST:PORT"
                        : "/openapi.yaml lists the routes"))
        }
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Whether a path is one of a route's.
    private static func matches(_ path: [Substring], _ route: [Substring]) -> Bool {
        path.count == route.count && zip(path, route).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }

    /// The elements of a path as the router reads it, which ignores empty ones.
    private static func elements(of path: String) -> [Substring] {
        path.split(separator: "/")
    }
}
