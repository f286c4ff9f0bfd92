/// Routes of the console that belong together, with what they need to answer.
package protocol ConsoleRoutes: Sendable {
    /// Each route with its answer.
    var endpoints: [ConsoleEndpoint] { get }
}
