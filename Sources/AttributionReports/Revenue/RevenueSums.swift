import Attribution

/// What postbacks are worth: how many have revenue, and its bounds in each currency.
struct RevenueSums {
    /// The revenue in one currency.
    struct Amount: Hashable {
        /// How many postbacks have revenue in it.
        var postbacks: Int64 = 0
        /// How many of them have a value of either of two schemas.
        var between: Int64 = 0
        /// The least and the greatest revenue.
        var low = Money.zero
        var high = Money.zero
    }

    /// The revenue in each currency.
    private(set) var amounts: [CurrencyCode: Amount] = [:]
    /// How many postbacks there are of each outcome.
    private(set) var outcomes: [DecodedConversion.Outcome: Int64] = [:]

    /// Adds postbacks with the same value.
    mutating func add(_ decoded: DecodedConversion, times count: Int64) {
        guard count > 0 else {
            return
        }
        outcomes[decoded.outcome, default: 0] += count
        if let (bounds, currency) = decoded.revenue {
            var amount = amounts[currency] ?? Amount()
            amount.postbacks += count
            amount.between += decoded.outcome == .between ? count : 0
            amount.low += bounds.lowerBound * count
            amount.high += bounds.upperBound * count
            amounts[currency] = amount
        }
    }

    /// How many postbacks there are.
    var postbacks: Int64 {
        outcomes.values.reduce(0, +)
    }

    /// How many of them have no revenue that could be added.
    var postbacksWithoutRevenue: Int64 {
        postbacks - amounts.values.reduce(0) { $0 + $1.postbacks }
    }

    /// Whether any amount does not fit.
    var isSaturated: Bool {
        amounts.values.contains { $0.high.isSaturated }
    }
}

/// The sums of the period and of the previous one.
struct ComparedRevenue {
    var current = RevenueSums()
    /// Nil if figures are not compared.
    var previous: RevenueSums?
}
