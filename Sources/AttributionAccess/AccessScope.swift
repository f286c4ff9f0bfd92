/// What a token of the console may be used for.
package enum AccessScope: String, CaseIterable, Sendable {
    /// Signing impressions.
    case sign
    /// Reading reports, metrics, the quarantine and recorded postbacks.
    case report
    /// Changing the store: the quarantine judged again or deleted, repair.
    case manage
    /// Everything: all others, and whatever routes ask for this one alone.
    case admin

    /// Whether holding this scope opens a route that needs another.
    ///
    /// - Parameter needed: What the route asks for.
    /// - Returns: `true` for the scope itself, and for every scope when this one is ``admin``.
    package func covers(_ needed: AccessScope) -> Bool {
        self == needed || self == .admin
    }
}
