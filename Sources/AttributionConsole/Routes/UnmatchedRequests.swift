import CodedErrors
import HTTPTypes
import Hummingbird

/// Answers the requests that no route of the console takes: another path, or another method.
struct UnmatchedRequests: RouterMiddleware {
    private let paths: [[Substring]: [HTTPRequest.Method]]

    /// Takes the routes that there are.
    init(routes: [ConsoleRoute]) {
        paths = Dictionary(grouping: routes.map(\.definition)) { Self.elements(of: $0.path) }
            .mapValues { $0.map(\.method) }
    }

    @concurrent func handle(
        _ request: Request,
        context: ConsoleContext,
        next: @concurrent (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        let response: Response
        if let methods = paths[Self.elements(of: request.uri.path)] {
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            response = .refusing(
                Refusal(.methodNotAllowed, "found another method, expected \(allowed)"), fields: [.allow: allowed])
        } else {
            response = .refusing(
                Refusal(.notFound, "nothing is at this path", hint: "/openapi.yaml lists what there is"))
        }
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// The path as the router reads it, which does not look at empty elements.
    private static func elements(of path: String) -> [Substring] {
        path.split(separator: "/")
    }
}
