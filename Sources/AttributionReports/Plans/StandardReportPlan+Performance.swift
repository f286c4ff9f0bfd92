import Attribution
import AttributionStore

extension StandardReportPlan {
    /// What campaigns cost and brought, in one table.
    static func performance(_ references: ReportReferences, by dimensions: [ReportDimension]?) -> StandardReportPlan {
        let decoder = references.schemas.apps.isEmpty ? nil : RevenueDecoder(references.schemas)
        return StandardReportPlan(
            ["campaigns", "currencies"],
            [decoder.map { Breakdown(RevenueDecoder.dimensions, cuts: $0.cuts) } ?? Breakdown(campaignDimensions)],
            hasCosts: true
        ) { figures in
            let table = PerformanceTable(figures, references.campaigns, decoder)
            return [table.campaignSection(by: dimensions), table.currencySection]
        }
    }
}

/// What a campaign cost and brought.
private struct PerformanceSums: CostSummable {
    var costs = CostSums()
    /// Installs without a conversion value, and with one.
    var withoutValue: Int64 = 0
    var withValue: Int64 = 0
    var redownloads: Int64 = 0
    var redownloadKnown: Int64 = 0
    var revenue = RevenueSums()
    /// The installs and the revenue of campaigns whose spend is known, and of those that cannot be told apart from them.
    var paidInstalls: Int64 = 0
    var paidRevenue = RevenueSums()

    init() {}

    /// Takes postbacks whose values have one meaning; those of re-engagements bring no revenue of installs.
    init(_ counts: Counts, _ decoded: DecodedConversion?) {
        costs.installs = counts[.installs]
        withoutValue = counts.nullConversions
        withValue = counts[.installs] - counts.nullConversions - counts[.conversion(.invalid)]
        redownloads = counts[.redownloads]
        redownloadKnown = counts.knownRedownloads
        if let decoded {
            revenue.add(decoded, times: counts.withValues - counts.reengagementPostbacks)
        }
    }

    /// The currencies of its spend and its revenue.
    var currencies: Set<CurrencyCode> {
        Set(costs.spend.keys).union(revenue.amounts.keys)
    }

    var isEmpty: Bool {
        costs.installs == 0 && costs.impressions == nil && currencies.isEmpty
    }

    static func += (lhs: inout Self, rhs: Self) {
        lhs.costs += rhs.costs
        lhs.withoutValue += rhs.withoutValue
        lhs.withValue += rhs.withValue
        lhs.redownloads += rhs.redownloads
        lhs.redownloadKnown += rhs.redownloadKnown
        lhs.revenue += rhs.revenue
        lhs.paidInstalls += rhs.paidInstalls
        lhs.paidRevenue += rhs.paidRevenue
    }
}

/// The campaigns, with the currencies of each; currencies are never added.
private struct PerformanceTable {
    private typealias Row = SumRow<PerformanceSums>

    private let figures: StandardReportFigures
    private let hasSchemas: Bool
    private let rollUp: CampaignRollUp
    /// The campaigns in the order of their keys.
    private let rows: [Row]
    private let isComparable: Bool

    init(_ figures: StandardReportFigures, _ map: CampaignMap?, _ decoder: RevenueDecoder?) {
        self.figures = figures
        hasSchemas = decoder != nil
        isComparable = figures.request.isComparable(since: figures.days.keys.min())
        var sums = CampaignSums<PerformanceSums>(map, figures.request)
        for row in figures.breakdowns[0] {
            // The first value of a decoder's rows is the segment.
            let ids = decoder == nil ? row.values[..<4] : row.values[1...4]
            let decoded = decoder?.row(row.values)?.decoded
            sums.add(
                CampaignKey(ids), [], PerformanceSums(row.current, decoded),
                row.previous.map { PerformanceSums($0, decoded) })
        }
        sums.addAds(figures)
        sums.noteFamilies()
        let rollUp = sums.rollUp
        self.rollUp = rollUp
        var rows = sums.rows
        let families = rows.map { rollUp.family(of: CampaignKey($0.values[..<4])) }
        for period in [\Row.current, \.previousOrNothing] {
            let paid = Set(
                zip(rows, families).filter { row, _ in !row[keyPath: period].costs.spend.isEmpty }.map(\.1))
            for index in rows.indices where paid.contains(families[index]) {
                rows[index][keyPath: period].paidInstalls = rows[index][keyPath: period].costs.installs
                rows[index][keyPath: period].paidRevenue = rows[index][keyPath: period].revenue
            }
        }
        self.rows = rows
    }

    // MARK: Campaigns

    /// A row for each campaign, or for each combination of other dimensions, in each of its currencies.
    func campaignSection(by dimensions: [ReportDimension]?) -> ReportSection {
        let wanted = CampaignRollUp.arranged(dimensions ?? StandardReportPlan.campaignDimensions)
        let hasCampaigns = wanted == StandardReportPlan.campaignDimensions
        let all = rollUp.columns(isFilter: false)
        let keys = hasCampaigns ? all : wanted.compactMap { name in all.first { $0.dimension == name } }
        let columns = keys + [Self.currency] + figureColumns
        let rows = hasCampaigns ? rows : grouped(by: wanted)
        let currencies = rows.reduce(into: Set<CurrencyCode>()) { $0.formUnion(Self.currencies($1)) }
        let entries = rows.filter { !$0.current.isEmpty || $0.previous?.isEmpty == false }.flatMap { row in
            let own = Self.currencies(row).sorted()
            return own.isEmpty ? [(row: row, currency: nil)] : own.map { (row: row, currency: Optional($0)) }
        }
        let (shown, omitted) = ReportSection.greatest(
            entries, top: figures.request.selection.top,
            arranged: { entries in
                hasCampaigns ? rollUp.together(entries) { CampaignKey($0.row.values[..<4]) } : entries
            }
        ) { left, right in
            let spend = [left, right].map { entry in entry.currency.flatMap { entry.row.current.costs.spend[$0] } }
            if currencies.count > 1, left.currency != right.currency {
                return right.currency.map { other in left.currency.map { $0 < other } ?? false } ?? true
            }
            guard spend[0] == spend[1] else {
                return spend[1].map { other in spend[0].map { $0 > other } ?? false } ?? true
            }
            return left.row.current.costs.installs > right.row.current.costs.installs
        }
        func line(_ row: Row, _ currency: CurrencyCode?, isTotal: Bool = false) -> ReportSectionRow {
            let names = (isTotal ? keys.map { _ in "" } : row.values) + [isTotal ? "" : currency?.text ?? ""]
            func line(_ sums: PerformanceSums, _ previous: PerformanceSums?) -> [ReportCell] {
                names.map(ReportCell.key) + cells(sums, currency, since: previous, isTotal: isTotal)
            }
            return ReportSectionRow(
                line(row.current, row.previous),
                previous: row.previous.map { previous in
                    zip(columns, line(previous, nil)).map { column, cell in
                        column.isCompared || column.kind == .key ? cell : .absent
                    }
                })
        }
        var total = Row(values: [], current: PerformanceSums(), previous: figures.request.previous.map { _ in .init() })
        rows.forEach { total.add($0) }
        return ReportSection(
            name: "campaigns", title: "Performance",
            meaning: "What each campaign cost and brought, the one with the greatest spend first.",
            columns: columns, rows: shown.map { line($0.row, $0.currency) },
            // Amounts of several currencies have no sum.
            totals: currencies.count > 1 ? nil : line(total, currencies.first, isTotal: true),
            omittedRows: omitted,
            notes: notes + (hasCampaigns ? rollUp.notes : []),
            chart: .bars(category: keys.first?.name ?? "", value: "installs"))
    }

    private static func currencies(_ row: Row) -> Set<CurrencyCode> {
        row.current.currencies.union(row.previous?.currencies ?? [])
    }

    /// The campaigns added up by some of their keys.
    private func grouped(by dimensions: [ReportDimension]) -> [Row] {
        let indices = dimensions.compactMap(StandardReportPlan.campaignDimensions.firstIndex)
        var groups: [[String]: Row] = [:]
        for row in rows {
            let values = indices.map { row.values[$0] }
            groups[values, default: Row(values: values, current: .init(), previous: row.previous.map { _ in .init() })]
                .add(row)
        }
        return groups.values.sorted { left, right in
            left.values.map { OrderedValue($0) }.lexicographicallyPrecedes(right.values.map { OrderedValue($0) })
        }
    }

    /// The figures of some campaigns in one currency; the change is that of installs since the previous period.
    private func cells(
        _ sums: PerformanceSums, _ currency: CurrencyCode?, since previous: PerformanceSums?, isTotal: Bool
    ) -> [ReportCell] {
        let spend = currency.flatMap { sums.costs.spend[$0] }
        let revenue = currency.flatMap { sums.revenue.amounts[$0] }
        let installs = sums.costs.installs
        let former = isComparable ? previous?.costs.installs ?? 0 : 0
        return [
            .optional(spend), .optional(sums.costs.impressions), .count(installs),
            former == 0 ? .absent : .decimal(Double(installs - former) / Double(former), places: 4),
            isTotal || !rollUp.isRolledUp ? .absent : .count(sums.costs.possibleInstalls),
            .optional(sums.costs.spend.count == 1 ? spend?.divided(by: sums.paidInstalls) : nil),
            .optional(revenue?.low), .optional(revenue?.high), sums.returnOnSpend(currency, \.low),
            sums.returnOnSpend(currency, \.high), .rate(sums.withoutValue, of: installs),
            .rate(sums.redownloads, of: sums.redownloadKnown), .rate(sums.withValue, of: installs),
            .count(sums.redownloadKnown),
        ]
    }

    private static let currency = ReportColumn.names(
        "currency", "Currency", .ours, "The currency of the spend and the revenue; currencies are never added.")

    private var figureColumns: [ReportColumn] {
        [
            CostColumns.spend, CostColumns.impressions.comparing(false), CostColumns.installs,
            ReportColumn(
                "installs-change", "Change of installs", .decimal, .signed,
                "By how much of the previous period's installs they changed: 0.25 is a quarter more, -0.5 half of them; "
                    + "empty if there were none.", denominator: "installs"),
            CostColumns.possibleInstalls,
            ReportColumn(
                "cost-per-install", "Cost per install", .money, .unsigned,
                "Spend per install, rounded to four places; in sums, of campaigns with spend alone. Empty without installs, "
                    + "and for spend in several currencies.", denominator: "installs"),
        ] + Self.revenueColumns + Self.returnColumns + [
            ReportFigure.nullRate.column, ReportFigure.redownloadRate.column,
            ReportColumn(
                "value-rate", "With a value", .share, .unsigned,
                "The share of installs with a fine or a coarse conversion value.", denominator: "installs"),
            ReportFigure.redownloadKnown.column,
        ]
    }

    private static let revenueColumns = ["low", "high"].map { bound in
        ReportColumn(
            "revenue-\(bound)", "Revenue, \(bound)", .money, .unsigned,
            "The sum of the \(bound == "low" ? "least" : "greatest") revenue of each value of installs, in all windows; "
                + "empty if no value has one.")
    }

    private static let returnColumns = ["low", "high"].map { bound in
        ReportColumn(
            "roas-\(bound)", "Return on spend, \(bound)", .decimal, .unsigned,
            "Revenue, \(bound), per unit of spend (ROAS), rounded to four places; in sums, of campaigns with spend alone. "
                + "Empty without either, and for several currencies.", denominator: "spend")
    }

    /// What limits the figures, and how to get those that are not known.
    private var notes: [String] {
        let costs = CostNotes(figures)
        let revenue =
            hasSchemas
            ? "Revenue is what the values of installs mean by the schemas given, a bound and no measurement; withheld values "
                + "have none here, and re-engagements are left out."
            : "Revenue: no schema is known; --schema FILE of skan report or skan serve adds it (skan help schema)."
        return costs.spend + costs.impressions.filter { !costs.spend.contains($0) } + [revenue]
    }

    // MARK: Currencies

    /// All spend and revenue in each currency, and the rates of campaigns that have no other.
    var currencySection: ReportSection {
        var ofFamilies: [CampaignRollUp.Family: Set<CurrencyCode>] = [:]
        let families = rows.map { rollUp.family(of: CampaignKey($0.values[..<4])) }
        for (row, family) in zip(rows, families) {
            ofFamilies[family, default: []].formUnion(row.current.currencies)
        }
        let currencies = rows.reduce(into: Set<CurrencyCode>()) { $0.formUnion(Self.currencies($1)) }
        return ReportSection(
            name: "currencies", title: "Currencies",
            meaning: "All spend and revenue in each currency, and the rates of campaigns that have no other.",
            columns: [Self.currency, CostColumns.spend] + Self.revenueColumns + [
                ReportColumn(
                    "spend-of-one-currency", "Of one currency", .money, .unsigned,
                    "The spend of campaigns that have spend and revenue in this currency alone."),
                ReportColumn(
                    "installs", "Installs", .count, .signed,
                    "The installs of campaigns with spend and revenue in this currency alone."),
                ReportColumn(
                    "cost-per-install", "Cost per install", .money, .unsigned,
                    "Spend of campaigns with this currency alone per install of theirs, rounded to four places.",
                    denominator: "installs"),
            ] + Self.returnColumns,
            rows: currencies.sorted().map { currency in
                var all = Row(values: [], current: .init(), previous: figures.request.previous.map { _ in .init() })
                var alone = PerformanceSums()
                for (row, family) in zip(rows, families) {
                    all.add(row)
                    if ofFamilies[family] == [currency] {
                        alone += row.current
                    }
                }
                let revenue = all.current.revenue.amounts[currency]
                return ReportSectionRow(
                    [
                        .key(currency.text), .optional(all.current.costs.spend[currency]), .optional(revenue?.low),
                        .optional(revenue?.high), .optional(alone.costs.spend[currency]), .count(alone.paidInstalls),
                        .optional(alone.costs.spend[currency]?.divided(by: alone.paidInstalls)),
                        alone.returnOnSpend(currency, \.low), alone.returnOnSpend(currency, \.high),
                    ],
                    previous: all.previous.map { previous in
                        [.key(currency.text), .optional(previous.costs.spend[currency])]
                            + Array(repeating: .absent, count: 7)
                    })
            })
    }
}

extension PerformanceSums {
    /// A bound of the revenue per unit of spend, if both are known in this currency alone.
    func returnOnSpend(_ currency: CurrencyCode?, _ bound: KeyPath<RevenueSums.Amount, Money>) -> ReportCell {
        guard let currency, currencies == [currency], let spend = costs.spend[currency],
            let revenue = paidRevenue.amounts[currency]?[keyPath: bound], !spend.isSaturated,
            let ratio = revenue.divided(by: spend.micros, times: 1_000_000), !ratio.isSaturated
        else {
            return .absent
        }
        return .decimal(Double(ratio.micros) / 1_000_000, places: 4)
    }
}
