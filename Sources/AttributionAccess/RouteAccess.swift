/// What a request needs to reach a route.
package enum RouteAccess: Sendable, Hashable {
    /// Nothing: for health probes.
    case open
    /// A token with this scope, when the console has a list of tokens.
    case scope(AccessScope)
}
