/// What a token of the console may be used for.
package enum AccessScope: String, CaseIterable, Sendable {
    /// Signing impressions.
    case sign
    /// Reading reports, metrics, the quarantine and recorded postbacks.
    case report
    /// Reading metrics, and nothing else.
    case metrics
    /// Changing the store: the quarantine judged again or deleted, repair.
    case manage
    /// Everything: all others, and whatever routes ask for this one alone.
    case admin

    /// Whether holding this scope opens a route that needs another.
    ///
    /// - Parameter needed: What the route asks for.
    /// - Returns: `true` for the scope itself, for every scope when this one is ``admin``, and for ``metrics`` when it is
    ///   ``report``.
    package func covers(_ needed: AccessScope) -> Bool {
        self == needed || self == .admin || self == .report && needed == .metrics
    }

    /// Whether what it allows can be limited to some ad networks.
    package var canBeLimitedToNetworks: Bool {
        self == .sign || self == .report
    }
}
