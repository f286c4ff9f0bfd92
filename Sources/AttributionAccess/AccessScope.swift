/// What a token of the console may be used for.
package enum AccessScope: String, CaseIterable, Sendable {
    /// Signing impressions.
    case sign
    /// Reading reports, metrics, the quarantine and recorded postbacks.
    case report
    /// Reading metrics, and nothing else.
    case metrics
    /// Changing the store: requeueing and pruning the quarantine, repair.
    case manage
    /// Everything: all other scopes, and routes that require this one.
    case admin

    /// Whether holding this scope opens a route that needs another.
    ///
    /// - Parameter needed: What the route requires.
    /// - Returns: `true` for the scope itself, for every scope if this one is ``admin``, and for ``metrics`` if it is
    ///   ``report``.
    package func covers(_ needed: AccessScope) -> Bool {
        self == needed || self == .admin || self == .report && needed == .metrics
    }

    /// Whether it can be limited to some ad networks.
    package var canBeLimitedToNetworks: Bool {
        self == .sign || self == .report
    }
}
