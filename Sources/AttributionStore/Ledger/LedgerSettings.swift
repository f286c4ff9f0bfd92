public import Attribution

/// What an owner of a store counts how, and keeps.
public struct LedgerSettings: Sendable {
    /// The networks whose postbacks are ours; nil for those that the last owner named, which the store remembers.
    public var networks: OwnNetworks?
    /// How much of what is not counted is kept.
    public var budgets: QuarantineBudgets

    /// Makes settings.
    public init(networks: OwnNetworks? = nil, budgets: QuarantineBudgets = QuarantineBudgets()) {
        self.networks = networks
        self.budgets = budgets
    }
}
