import CodedErrors
import HTTPTypes
import Hummingbird

/// Answers requests that match no route of the console, by path or by method.
struct UnmatchedRequests: RouterMiddleware {
    /// The beginnings of paths that only the signing listener serves.
    private static let signing = ["/v1/impressions", "/v1/openrtb/"]

    private let routes: [(elements: [Substring], methods: [HTTPRequest.Method])]

    /// Makes the middleware for some routes.
    init(routes: [ConsoleRoute]) {
        self.routes = routes.map { route in
            (Self.elements(of: route.definition.path), [route.definition.method] + (route.answersHead ? [.head] : []))
        }
    }

    @concurrent func handle(
        _ request: Request,
        context: ConsoleContext,
        next: @concurrent (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        let response: Response
        let elements = Self.elements(of: request.uri.path)
        let methods = routes.filter { Self.matches($0.elements, elements) }.flatMap(\.methods)
        if !methods.isEmpty {
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

    /// Whether a path is one of a route, whose elements in braces match any.
    private static func matches(_ route: [Substring], _ path: [Substring]) -> Bool {
        route.count == path.count && zip(route, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// The elements of a path as the router reads it, which ignores empty ones.
    private static func elements(of path: String) -> [Substring] {
        path.split(separator: "/")
    }
}
