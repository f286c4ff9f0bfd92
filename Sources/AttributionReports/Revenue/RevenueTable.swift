import Attribution

/// Makes sections of revenue: a row for each combination of keys and currency, for currencies are never added.
struct RevenueTable {
    /// The columns of the keys.
    private let keys: [ReportSectionColumn]
    private var sums: [[String]: ComparedRevenue] = [:]
    private let isCompared: Bool

    init(_ keys: [ReportSectionColumn], isCompared: Bool) {
        self.keys = keys
        self.isCompared = isCompared
    }

    /// Adds the postbacks of a row.
    mutating func add(_ values: [String], _ decoded: DecodedConversion, _ current: Int64, _ previous: Int64?) {
        guard current > 0 || previous ?? 0 > 0 else {
            return
        }
        var sum = sums[values] ?? ComparedRevenue(previous: isCompared ? RevenueSums() : nil)
        sum.current.add(decoded, times: current)
        sum.previous?.add(decoded, times: previous ?? 0)
        sums[values] = sum
    }

    private static let figures = [
        ReportSectionColumn(
            "postbacks", "Postbacks", .count, .unsigned,
            "Postbacks whose value means revenue in the currency; without a currency, those without revenue.",
            isCompared: true),
        ReportSectionColumn(
            "between-schemas", "Of two schemas", .count, .unsigned,
            "Those that may have been set by either of two schemas; their revenue is bounded by both.", isCompared: true
        ),
        ReportSectionColumn(
            "revenue-low", "Revenue, low", .money, .unsigned, "The sum of the least revenue of each value.",
            isCompared: true),
        ReportSectionColumn(
            "revenue-mid", "Revenue, mid", .money, .unsigned, "The middle between low and high; nothing is modelled.",
            isCompared: true),
        ReportSectionColumn(
            "revenue-high", "Revenue, high", .money, .unsigned, "The sum of the greatest revenue of each value.",
            isCompared: true),
    ]

    private static let currency = ReportSectionColumn.names(
        "currency", "Currency", .ours, "The currency of the revenue; empty for postbacks without revenue.")

    /// The section: in each currency the most revenue first, and postbacks without revenue last.
    func section(
        _ name: String,
        _ title: String,
        _ meaning: String,
        top: Int? = nil,
        notes: [String] = []
    ) -> ReportSection {
        let rows = sums.flatMap { values, sum in
            let currencies = Set(sum.current.amounts.keys).union(sum.previous?.amounts.keys ?? [:].keys)
            let withRevenue = currencies.map { currency in
                Row(
                    values: values, currency: currency, current: sum.current.amounts[currency] ?? .init(),
                    previous: sum.previous.map { $0.amounts[currency] ?? .init() })
            }
            let without = Row(
                values: values, currency: nil, current: .init(postbacks: sum.current.postbacksWithoutRevenue),
                previous: sum.previous.map { .init(postbacks: $0.postbacksWithoutRevenue) })
            return withRevenue + (without.isEmpty ? [] : [without])
        }.sorted()
        let shown = rows.prefix(top ?? .max)
        let saturated = rows.contains { $0.current.high.isSaturated || $0.previous?.high.isSaturated == true }
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: keys + [Self.currency] + Self.figures,
            rows: shown.map(\.sectionRow), omittedRows: rows.count - shown.count,
            notes: notes + (saturated ? [Self.saturation] : []))
    }

    private static let saturation =
        "Amounts with > are greater than can be counted exactly; check the revenue in the schemas."

    /// The revenue of some keys in one currency, or their postbacks without revenue.
    private struct Row: Comparable {
        let values: [String]
        let currency: CurrencyCode?
        let current: RevenueSums.Amount
        let previous: RevenueSums.Amount?

        var isEmpty: Bool {
            current.postbacks == 0 && previous?.postbacks ?? 0 == 0
        }

        var sectionRow: ReportSectionRow {
            let names = (values + [currency?.text ?? ""]).map(ReportCell.key)
            return ReportSectionRow(
                names + cells(current), previous: previous.map { names + cells($0) })
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
