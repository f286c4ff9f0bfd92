import Attribution

/// What postbacks are worth: how many have revenue, and its bounds in each currency.
private struct RevenueSums: Summable {
    /// The revenue in one currency.
    struct Amount: Hashable {
        /// How many postbacks have revenue in it.
        var postbacks: Int64 = 0
        /// How many of them have a value of either of two schemas.
        var between: Int64 = 0
        /// The least and the greatest revenue.
        var low = Money.zero
        var high = Money.zero

        static func + (lhs: Self, rhs: Self) -> Self {
            Amount(
                postbacks: lhs.postbacks + rhs.postbacks, between: lhs.between + rhs.between, low: lhs.low + rhs.low,
                high: lhs.high + rhs.high)
        }
    }

    /// The revenue in each currency.
    private(set) var amounts: [CurrencyCode: Amount] = [:]
    /// How many postbacks have no revenue that could be added.
    private(set) var withoutRevenue: Int64 = 0

    /// Adds postbacks with the same value.
    mutating func add(_ decoded: DecodedConversion, times count: Int64) {
        guard count > 0 else {
            return
        }
        guard let (bounds, currency) = decoded.revenue else {
            withoutRevenue += count
            return
        }
        let amount = Amount(
            postbacks: count, between: decoded.outcome == .between ? count : 0, low: bounds.lowerBound * count,
            high: bounds.upperBound * count)
        amounts[currency] = (amounts[currency] ?? Amount()) + amount
    }

    static func += (lhs: inout Self, rhs: Self) {
        lhs.amounts.merge(rhs.amounts, uniquingKeysWith: +)
        lhs.withoutRevenue += rhs.withoutRevenue
    }
}

/// Makes sections of revenue: a row for each combination of keys and currency, for currencies are never added.
struct RevenueTable {
    /// The columns of the keys.
    private let keys: [ReportColumn]
    private var sums: KeyedSums<RevenueSums>

    init(_ keys: [ReportColumn], isCompared: Bool) {
        self.keys = keys
        sums = KeyedSums(isCompared: isCompared)
    }

    /// Adds the postbacks of a row.
    mutating func add(_ values: [String], _ decoded: DecodedConversion, _ current: Int64, _ previous: Int64?) {
        sums.add(values, current, previous) { $0.add(decoded, times: $1) }
    }

    private static let figures: [ReportColumn] = [
        figure(
            "postbacks", "Postbacks", .count,
            "Postbacks whose value means revenue in the currency; without a currency, those without revenue."),
        figure(
            "between-schemas", "Of two schemas", .count,
            "Those that may have been set by either of two schemas; their revenue is bounded by both."),
        figure("revenue-low", "Revenue, low", .money, "The sum of the least revenue of each value."),
        figure("revenue-mid", "Revenue, mid", .money, "The middle between low and high; nothing is modelled."),
        figure("revenue-high", "Revenue, high", .money, "The sum of the greatest revenue of each value."),
    ]

    private static func figure(
        _ name: String, _ title: String, _ kind: ReportColumn.Kind, _ definition: String
    ) -> ReportColumn {
        ReportColumn(name, title, kind, .unsigned, definition, isCompared: true)
    }

    private static let currency = ReportColumn.names(
        "currency", "Currency", .ours, "The currency of the revenue; empty for postbacks without revenue.")

    /// The section: in each currency the most revenue first, and postbacks without revenue last.
    func section(
        _ name: String,
        _ title: String,
        _ meaning: String,
        top: Int? = nil,
        notes: [String] = []
    ) -> ReportSection {
        let rows = sums.rows.values.flatMap(Self.rows).sorted()
        let shown = rows.prefix(top ?? .max)
        let saturated = rows.contains { $0.current.high.isSaturated || $0.previous?.high.isSaturated == true }
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: keys + [Self.currency] + Self.figures,
            rows: shown.map(\.sectionRow), omittedRows: rows.count - shown.count,
            notes: notes + (saturated ? [Self.saturation] : []))
    }

    /// A row for each currency, and one for postbacks without revenue, if there are any.
    private static func rows(_ sum: SumRow<RevenueSums>) -> [Row] {
        let currencies = Set(sum.current.amounts.keys).union(sum.previous?.amounts.keys ?? [:].keys)
        let rows = currencies.map { currency in
            Row(
                values: sum.values, currency: currency, current: sum.current.amounts[currency] ?? .init(),
                previous: sum.previous.map { $0.amounts[currency] ?? .init() })
        }
        guard sum.current.withoutRevenue > 0 || sum.previous?.withoutRevenue ?? 0 > 0 else {
            return rows
        }
        let without = Row(
            values: sum.values, currency: nil, current: .init(postbacks: sum.current.withoutRevenue),
            previous: sum.previous.map { .init(postbacks: $0.withoutRevenue) })
        return rows + [without]
    }

    private static let saturation =
        "Amounts with > are greater than can be counted exactly; check the revenue in the schemas."

    /// The revenue of some keys in one currency, or their postbacks without revenue.
    private struct Row: Comparable {
        let values: [String]
        let currency: CurrencyCode?
        let current: RevenueSums.Amount
        let previous: RevenueSums.Amount?

        var sectionRow: ReportSectionRow {
            let names = (values + [currency?.text ?? ""]).map(ReportCell.key)
            return ReportSectionRow(names + cells(current), previous: previous.map { names + cells($0) })
        }

        private func cells(_ amount: RevenueSums.Amount) -> [ReportCell] {
            guard currency != nil else {
                return [.count(amount.postbacks), .absent, .absent, .absent, .absent]
            }
            return [
                .count(amount.postbacks), .count(amount.between), .money(amount.low),
                .money(.middle(amount.low, amount.high)), .money(amount.high),
            ]
        }

        static func < (left: Row, right: Row) -> Bool {
            guard left.currency == right.currency else {
                return right.currency.map { other in left.currency.map { $0 < other } ?? false } ?? true
            }
            guard left.current == right.current else {
                return (left.current.high, left.current.low, left.current.postbacks)
                    > (right.current.high, right.current.low, right.current.postbacks)
            }
            return left.values.map { OrderedValue($0) }.lexicographicallyPrecedes(right.values.map { OrderedValue($0) })
        }
    }
}
