import Attribution
import AttributionStore

extension StandardReportRequest {
    /// The days of the period, for what is known by the day of UTC.
    var costDays: ClosedRange<CalendarDay> {
        let first = selection.from ?? CalendarDay(number: 0)
        // Far enough, and with room to count beyond it.
        return first...max(first, selection.through ?? CalendarDay(number: 1 << 32))
    }
}

extension AdCosts {
    /// What conditions on networks and apps select.
    func selected(by conditions: [LedgerQuestion.Condition]) -> AdCosts {
        guard !conditions.isEmpty else {
            return self
        }
        func isSelected(_ network: String, _ app: AppStoreItemID) -> Bool {
            conditions.allSatisfy { condition in
                switch condition.dimension {
                case .network:
                    condition.values.contains { $0.lowercasedASCII == network } != condition.isExcluded
                case .app: condition.values.contains(app.description) != condition.isExcluded
                default: false
                }
            }
        }
        var costs = self
        costs.signed = signed.filter { isSelected($0.key.network, $0.key.app) }
        costs.signedDays = signedDays.filter { isSelected($0.key.network, $0.key.app) }
        costs.spend = spend.filter { isSelected($0.key.network, $0.key.app) }
        costs.spendDays = spendDays.filter { isSelected($0.key.network, $0.key.app) }
        return costs
    }
}
