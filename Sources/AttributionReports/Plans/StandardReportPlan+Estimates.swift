import Attribution

extension StandardReportPlan {
    /// Conversion values and revenue, with withheld values filled in.
    static func estimates(_ schemas: ConversionSchemas) -> StandardReportPlan {
        let decoder = RevenueDecoder(schemas)
        return StandardReportPlan(
            ["values", "apps", "campaigns"], [Breakdown(RevenueDecoder.dimensions, cuts: decoder.cuts)]
        ) { figures in
            var sections = EstimateSections(decoder, isCompared: figures.request.previous != nil)
            for row in figures.breakdowns[0] {
                sections.add(row)
            }
            let top = figures.request.selection.top
            return [
                sections.values(top: top),
                sections.revenue(
                    "apps", "Estimated revenue by app", "What the values of each app are worth, with withheld ones.",
                    top: top, notes: schemas.apps.isEmpty ? [StandardReportPlan.noSchemas] : []),
                sections.revenue(
                    "campaigns", "Estimated revenue by campaign",
                    "What the values of each campaign are worth, with withheld ones.", top: top,
                    notes: [
                        "The bounds of campaigns do not add up to those of their app, which are narrower than the sum.",
                        shortIdentifiers,
                    ]),
            ]
        }
    }
}

/// Collects the sections of the report in one pass over the rows.
private struct EstimateSections {
    private let decoder: RevenueDecoder
    /// The postbacks that are like each other, by app, kind and window.
    private var like: KeyedSums<LikePostbacks>
    /// The postbacks of each row of a section, by which of ``like`` they are.
    private var rows: [String: KeyedSums<CountsOfLike>]

    init(_ decoder: RevenueDecoder, isCompared: Bool) {
        self.decoder = decoder
        like = KeyedSums(isCompared: isCompared)
        rows = ["apps": KeyedSums(isCompared: isCompared), "campaigns": KeyedSums(isCompared: isCompared)]
    }

    mutating func add(_ row: StandardReportFigures.Row) {
        guard let decoded = decoder.row(row.values), let conversion = row.values.last.flatMap({ Conversion($0) }),
            row.values[5] != SKAdNetworkVersion.v1_0.rawValue
        else {
            return
        }
        let all = (current: row.current.withValues, previous: row.previous?.withValues)
        let again = (current: row.current.reengagementPostbacks, previous: row.previous?.reengagementPostbacks)
        add(
            decoded, conversion, "install", all.current - again.current,
            all.previous.map { $0 - (again.previous ?? 0) })
        add(decoded, conversion, "re-engagement", again.current, again.previous)
    }

    private mutating func add(
        _ row: RevenueDecoder.Row, _ conversion: Conversion, _ kind: String, _ current: Int64, _ previous: Int64?
    ) {
        guard current > 0 || previous ?? 0 > 0 else {
            return
        }
        let group = [row.app, kind, row.timing.title]
        like.add(group, current, previous) { $0.add(conversion, row.decoded, times: $1) }
        for (name, keys) in [("apps", [row.app, kind]), ("campaigns", row.campaign + [kind])] {
            rows[name]?.add(keys, current, previous) {
                $0.groups[group, default: LikePostbacks()].add(conversion, row.decoded, times: $1)
            }
        }
    }

    // MARK: Values

    private static let kind = ReportColumn.names(
        "kind", "Kind", .signed, "install, or re-engagement of AdAttributionKit; the two are never added here.")

    private static let valueColumns: [ReportColumn] = [
        .key(.app), kind, .names("postback", "Postback", .signed, "The window, or the timer of versions up to 3.0."),
        .key(.conversionValue),
        figure("with-value", "With a value", .count, "Like postbacks with a value: of the app, kind and window."),
        figure("withheld", "Withheld", .count, "Like postbacks without a value, absent or null."),
        figure("postbacks", "Postbacks", .count, "Like postbacks with this value, as received."),
        ReportColumn(
            "share", "Share", .share, .unsigned, "The share of these in postbacks with a value.",
            denominator: "with-value", isCompared: true),
        figure("estimate", "Estimate", .decimal, "These, and the same share of those withheld."),
        figure("estimated", "Estimate, bounds", .counts, "These, and the bounds of their number among those withheld."),
    ]

    private static func figure(
        _ name: String, _ title: String, _ kind: ReportColumn.Kind, _ definition: String
    ) -> ReportColumn {
        ReportColumn(name, title, kind, .unsigned, definition, isCompared: true, isSum: false)
    }

    /// A row for each value that occurs among like postbacks.
    func values(top: Int?) -> ReportSection {
        let rows = like.sorted.flatMap { row in
            Conversion.allCases.filter { conversion in
                [row.current, row.previous].contains { $0?.values[conversion] ?? 0 > 0 }
            }.map { conversion in
                let keys = (row.values + [conversion.description]).map(ReportCell.key)
                return ReportSectionRow(
                    keys + Self.cells(row.current, conversion),
                    previous: row.previous.map { keys + Self.cells($0, conversion) })
            }
        }
        let shown = rows.prefix(top ?? .max)
        return ReportSection(
            name: "values", title: "Estimated conversion values",
            meaning: "How many postbacks would have each value if none were withheld.", columns: Self.valueColumns,
            rows: shown, omittedRows: rows.count - shown.count)
    }

    private static func cells(_ like: LikePostbacks, _ conversion: Conversion) -> [ReportCell] {
        let (count, known, withheld) = (like.values[conversion] ?? 0, like.known, like.withheld)
        let counts: [ReportCell] = [.count(known), .count(withheld), .count(count), .rate(count, of: known)]
        guard like.areEnough else {
            return counts + [.absent, .absent]
        }
        let bounds = Estimation.bounds(of: count, among: known, withheld: withheld)
        return counts + [
            .decimal(Double(count) + Double(withheld) * Double(count) / Double(known), places: 1),
            .counts((count + bounds.lowerBound)...(count + bounds.upperBound)),
        ]
    }

    // MARK: Revenue

    private static let revenueColumns: [ReportColumn] = [
        .names("currency", "Currency", .ours, "The currency of the revenue."),
        figure("with-value", "With a value", .count, "Postbacks with a value, whatever it means."),
        figure("withheld", "Withheld", .count, "Postbacks without a value, absent or null."),
        figure("filled-in", "Filled in", .count, "Those of them for which enough postbacks are like."),
        figure("revenue-low", "Revenue, low", .money, "The least revenue of the values received."),
        figure("revenue-high", "Revenue, high", .money, "The greatest revenue of the values received."),
        figure(
            "estimate", "Estimate", .money, "The middle of the two, and what those filled in are expected to be worth."),
        figure("estimate-low", "Estimate, low", .money, "The lower bound of the estimate."),
        figure("estimate-high", "Estimate, high", .money, "The upper bound of the estimate."),
    ]

    /// A row for each currency of each app or campaign: in each currency the most revenue first.
    func revenue(
        _ name: String, _ title: String, _ meaning: String, top: Int?, notes: [String]
    ) -> ReportSection {
        let dimensions = name == "apps" ? [.app] : StandardReportPlan.campaignDimensions
        let keys = dimensions.map { ReportColumn.key($0) } + [Self.kind]
        let sums = rows[name]?.sorted ?? []
        let made = sums.flatMap { row in currencies(of: row).map { ($0, self.row(row, in: $0)) } }
        let column = keys.count + Self.revenueColumns.count - 1
        let sorted = made.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            let amounts = (first.1.cells[column].number ?? 0, second.1.cells[column].number ?? 0)
            return first.0 != second.0
                ? first.0 < second.0 : amounts.0 != amounts.1 ? amounts.0 > amounts.1 : left.offset < right.offset
        }
        let shown = sorted.prefix(top ?? .max).map(\.element.1)
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: keys + Self.revenueColumns, rows: shown,
            omittedRows: sorted.count - shown.count, notes: notes)
    }

    /// The currencies of what is known and of what is filled in, of either period.
    private func currencies(of row: SumRow<CountsOfLike>) -> [CurrencyCode] {
        let groups = Set([row.current, row.previous].compactMap { $0?.groups.keys }.joined())
        return Set(
            groups.flatMap { group in
                [like.rows[group]?.current, like.rows[group]?.previous].compactMap { $0?.revenue.keys }.joined()
            }
        ).sorted()
    }

    private func row(_ row: SumRow<CountsOfLike>, in currency: CurrencyCode) -> ReportSectionRow {
        let keys = (row.values + [currency.text]).map(ReportCell.key)
        return ReportSectionRow(
            keys + cells(row.current, currency) { like.rows[$0]?.current },
            previous: row.previous.map { keys + cells($0, currency) { like.rows[$0]?.previous } })
    }

    private func cells(
        _ sums: CountsOfLike, _ currency: CurrencyCode, _ pool: ([String]) -> LikePostbacks?
    ) -> [ReportCell] {
        var (known, withheld, filled) = (Int64(0), Int64(0), Int64(0))
        var (low, high) = (Money.zero, Money.zero)
        var least = (sum: 0.0, variance: 0.0)
        var greatest = least
        for (group, postbacks) in sums.groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            known += postbacks.known
            withheld += postbacks.withheld
            let sum = postbacks.sum(currency)
            (low, high) = (low + sum.low, high + sum.high)
            guard postbacks.withheld > 0, let pool = pool(group), pool.areEnough else {
                continue
            }
            filled += postbacks.withheld
            let expected = [\ClosedRange<Money>.lowerBound, \.upperBound].map {
                pool.expected(currency, of: postbacks.withheld, $0)
            }
            least = (least.sum + expected[0].sum, least.variance + expected[0].variance)
            greatest = (greatest.sum + expected[1].sum, greatest.variance + expected[1].variance)
        }
        let below = least.sum - Estimation.deviations * least.variance.squareRoot()
        let above = greatest.sum + Estimation.deviations * greatest.variance.squareRoot()
        let middle = Money.middle(low, high) + Money(micros: (least.sum + greatest.sum) / 2, .toNearestOrAwayFromZero)
        return [
            .count(known), .count(withheld), .count(filled), .money(low), .money(high), .money(middle),
            .money(low + Money(micros: max(0, below), .down)), .money(high + Money(micros: above, .up)),
        ]
    }
}

/// Postbacks by the group of like ones that they belong to.
private struct CountsOfLike: Summable {
    var groups: [[String]: LikePostbacks] = [:]

    static func += (lhs: inout Self, rhs: Self) {
        lhs.groups.merge(rhs.groups) { left, right in
            var sum = left
            sum += right
            return sum
        }
    }
}

extension Money {
    /// An estimated amount, rounded to hundredths of the unit: more digits would say nothing.
    fileprivate init(micros: Double, _ rule: FloatingPointRoundingRule) {
        let hundredth = Money(micros: 10_000)
        self = Int64(exactly: (micros / 10_000).rounded(rule)).map { hundredth * $0 } ?? hundredth * .max
    }
}
