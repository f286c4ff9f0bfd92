package import Attribution

/// What to find out about ads besides their postbacks: how many were signed, and what they cost.
package struct AdCostQuestion: Sendable {
    /// The days of UTC.
    package var days: ClosedRange<CalendarDay>
    /// Which ads.
    package var ads: AdTraffic
    /// The conditions, all of which must hold; nothing meets those on other dimensions than networks and apps.
    package var conditions: [LedgerQuestion.Condition]
    /// The limits on the cost of the answer, in which each row that is taken into memory is a cell.
    package var limits: LedgerLimits

    /// Creates a question.
    package init(
        days: ClosedRange<CalendarDay>,
        ads: AdTraffic = .real,
        conditions: [LedgerQuestion.Condition] = [],
        limits: LedgerLimits = LedgerLimits()
    ) {
        self.days = days
        self.ads = ads
        self.conditions = conditions
        self.limits = limits
    }

    /// Whether the ads of an app are wanted.
    package func selects(_ app: AdCosts.App) -> Bool {
        conditions.allSatisfy { condition in
            switch condition.dimension {
            case .network: condition.values.contains { $0.lowercasedASCII == app.network } != condition.isExcluded
            case .app: condition.values.contains(app.app.description) != condition.isExcluded
            default: false
            }
        }
    }
}
