package import Attribution

/// The settings of a store's owner.
package struct LedgerSettings: Sendable {
    /// The networks whose postbacks are ours; nil for those that the last owner named.
    package var networks: OwnNetworks?
    /// How much the quarantine keeps.
    package var budgets: QuarantineBudgets

    /// Creates settings.
    package init(networks: OwnNetworks? = nil, budgets: QuarantineBudgets = QuarantineBudgets()) {
        self.networks = networks
        self.budgets = budgets
    }
}
