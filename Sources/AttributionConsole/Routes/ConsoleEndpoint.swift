package import AttributionListener

/// A route and its handler.
package struct ConsoleEndpoint: Sendable {
    /// The route.
    package let route: ConsoleRoute
    let answer: @Sendable (IngressRequest, ConsoleContext) async -> IngressAnswer

    /// Makes an endpoint.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - answer: Answers the requests that may reach it.
    package init(
        _ route: ConsoleRoute,
        answer: @escaping @Sendable (IngressRequest, ConsoleContext) async -> IngressAnswer
    ) {
        self.route = route
        self.answer = answer
    }
}
