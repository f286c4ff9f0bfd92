import Attribution

/// How withheld conversion values are filled in from those of like postbacks.
package enum Estimation {
    /// The fewest like postbacks with a value from which others are filled in.
    static let leastLike: Int64 = 30
    /// The standard deviations of a normal distribution that 95 % are within.
    static let deviations = 1.96

    package static let method =
        "Method: estimates, which no other report contains. A postback of a winner without a conversion value, absent or "
        + "null, counts as withheld, except in 1.0, which has none. It is given the values of like postbacks: those with a "
        + "fine or coarse value of the same app, kind (install or re-engagement) and window (up to 3.0 the timer), in the "
        + "same days and filters, whatever the campaign; where fewer than \(leastLike) are like, nothing is filled in. "
        + "Bounds hold for 95 of 100 figures, each by itself. Those of a number are the score interval, Wilson's for as "
        + "many as are withheld, rounded outward; those of revenue are the mean of like postbacks, \(deviations) standard "
        + "errors below by the least and above by the greatest revenue of the schemas. An app that sets no value looks "
        + "like one whose values are withheld, and small crowds may differ from large ones: the bounds contain neither."

    /// How many of some withheld values are a certain one, which `count` of the known values are: the numbers at which
    /// a chi-square test of two shares would not tell the withheld values from the known ones.
    ///
    /// For ever more withheld values, their shares become the bounds of Wilson's interval.
    ///
    /// - SeeAlso: [Binomial proportion confidence
    ///   interval](https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval)
    package static func bounds(of count: Int64, among known: Int64, withheld: Int64) -> ClosedRange<Int64> {
        guard known > 0, withheld > 0 else {
            return 0...0
        }
        // (ny − mx)² = z² n m (x + y)(n + m − x − y) ÷ (n + m), solved for y.
        let (x, n, m) = (Double(count), Double(known), Double(withheld))
        let weight = deviations * deviations * n * m / (n + m)
        let square = n * n + weight
        let half = n * m * x + weight * (n + m - 2 * x) / 2
        let constant = m * m * x * x - weight * x * (n + m - x)
        let root = max(0, half * half - square * constant).squareRoot()
        let low = max(0, ((half - root) / square).rounded(.down))
        let high = min(m, ((half + root) / square).rounded(.up))
        return Int64(low)...max(Int64(low), Int64(high))
    }
}

/// Like postbacks of a period: how many have each value and each revenue, and how many have none.
struct LikePostbacks: Summable {
    /// Those with a value.
    private(set) var values: [Conversion: Int64] = [:]
    /// Those of them whose value means revenue.
    private(set) var revenue: [CurrencyCode: [ClosedRange<Money>: Int64]] = [:]
    private(set) var withheld: Int64 = 0

    /// How many have a value.
    var known: Int64 {
        values.values.reduce(0, +)
    }

    /// Whether there are enough to fill in others.
    var areEnough: Bool {
        known >= Estimation.leastLike
    }

    mutating func add(_ conversion: Conversion, _ decoded: DecodedConversion, times count: Int64) {
        guard count > 0, conversion != .invalid else {
            return
        }
        guard conversion != .absent, conversion != .null else {
            withheld += count
            return
        }
        values[conversion, default: 0] += count
        if let (bounds, currency) = decoded.revenue {
            revenue[currency, default: [:]][bounds, default: 0] += count
        }
    }

    static func += (lhs: inout Self, rhs: Self) {
        lhs.values.merge(rhs.values, uniquingKeysWith: +)
        lhs.revenue.merge(rhs.revenue) { $0.merging($1, uniquingKeysWith: +) }
        lhs.withheld += rhs.withheld
    }

    /// The sum of the least and of the greatest revenue in a currency.
    func sum(_ currency: CurrencyCode) -> (low: Money, high: Money) {
        (revenue[currency] ?? [:]).reduce(into: (Money.zero, Money.zero)) { sum, amount in
            sum.0 += amount.key.lowerBound * amount.value
            sum.1 += amount.key.upperBound * amount.value
        }
    }

    /// What some withheld postbacks are expected to be worth, and the variance of that, in millionths.
    ///
    /// Values that mean no revenue in the currency count as nothing, as in sums. The variance is that of a sum of as
    /// many postbacks, and of the mean from which it is estimated.
    func expected(
        _ currency: CurrencyCode, of withheld: Int64, _ bound: KeyPath<ClosedRange<Money>, Money>
    ) -> (sum: Double, variance: Double) {
        let amounts = (revenue[currency] ?? [:])
            .map { (micros: Double($0.key[keyPath: bound].micros), count: Double($0.value)) }
            // In one order, so that sums are always rounded alike.
            .sorted { ($0.micros, $0.count) < ($1.micros, $1.count) }
        let (known, withheld) = (Double(known), Double(withheld))
        let mean = amounts.reduce(0) { $0 + $1.micros * $1.count } / known
        let without = known - amounts.reduce(0) { $0 + $1.count }
        let squares = amounts.reduce(without * mean * mean) { sum, amount in
            sum + amount.count * (amount.micros - mean) * (amount.micros - mean)
        }
        return (withheld * mean, withheld * squares / (known - 1) * (1 + withheld / known))
    }
}
