/// A group of related console routes with their handlers.
package protocol ConsoleRoutes: Sendable {
    /// The routes with their handlers.
    var endpoints: [ConsoleEndpoint] { get }
}
