package import Hummingbird

/// A route and its handler.
package struct ConsoleEndpoint: Sendable {
    /// The route.
    package let route: ConsoleRoute
    let answer: @Sendable (Request, ConsoleContext) async throws -> Response

    /// Makes an endpoint.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - answer: Answers the requests that may reach it.
    package init(
        _ route: ConsoleRoute,
        answer: @escaping @Sendable (Request, ConsoleContext) async throws -> Response
    ) {
        self.route = route
        self.answer = answer
    }
}
