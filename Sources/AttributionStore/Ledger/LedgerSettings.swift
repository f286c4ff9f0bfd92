package import Attribution

/// What an owner of a store counts how, and keeps.
package struct LedgerSettings: Sendable {
    /// The networks whose postbacks are ours; nil for those that the last owner named, which the store remembers.
    package var networks: OwnNetworks?
    /// How much of what is not counted is kept.
    package var budgets: QuarantineBudgets

    /// Makes settings.
    package init(networks: OwnNetworks? = nil, budgets: QuarantineBudgets = QuarantineBudgets()) {
        self.networks = networks
        self.budgets = budgets
    }
}
