/// What a request must bring to reach a route.
package enum RouteAccess: Sendable, Hashable {
    /// Nothing: for machines that ask whether the server lives.
    case open
    /// A token with this scope, when the console has a list of tokens.
    case scope(AccessScope)
}
