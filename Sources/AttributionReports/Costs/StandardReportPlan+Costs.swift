import Attribution
import AttributionStore

extension StandardReportPlan {
    /// Installs with what they are divided by: ads that were signed, and what they cost.
    static let costs = StandardReportPlan(
        ["impressions", "spend", "currencies"], [Breakdown(campaignDimensions)], hasCosts: true
    ) { figures in
        let costs = CampaignCosts(figures)
        let notes = CostNotes(figures)
        let top = figures.request.selection.top
        return [
            impressionSection(costs, notes, top: top), spendSection(costs, notes, top: top), currencySection(costs),
        ]
    }

    // MARK: Columns

    private static let keys: [ReportSectionColumn] = [
        .key(.network), .key(.app),
        ReportSectionColumn(
            ReportDimension.campaignID.rawValue, "Campaign", .key, .signed,
            "The campaign id, 1 to 100, up to version 3.0; several if ads with one group of source identifiers were "
                + "signed with each.",
            dimension: .campaignID, isFilter: false),
        ReportSectionColumn(
            ReportDimension.sourceIdentifier.rawValue, "Source identifier", .key, .signed,
            "The last two digits, which every postback has, from 4.0 on: 39 is 5239, 239 and 39 together.",
            dimension: .sourceIdentifier, isFilter: false),
    ]

    private static let impressions = ReportSectionColumn(
        "impressions", "Impressions signed", .count, .ours,
        "Ads that were signed, each once in all its forms and versions, by the day (UTC) of the signature; empty if none "
            + "were counted, which is not 0. Whether an ad was shown is not known.", isCompared: true)
    private static let installs = CountsFigure.installs.column.compared
    private static let spend = ReportSectionColumn(
        "spend", "Spend", .money, .unsigned,
        "What was imported for these days (UTC) and this currency; empty if nothing was.", isCompared: true)
    private static let currency = ReportSectionColumn.names(
        "currency", "Currency", .ours, "The currency of the spend; currencies are never added.")
    private static let costPerThousand = ReportSectionColumn(
        "cost-per-thousand", "Cost per thousand", .money, .unsigned,
        "Spend per thousand impressions signed, rounded to four places; empty without impressions, and for a campaign "
            + "with spend in several currencies.", denominator: "impressions")
    private static let costPerInstall = ReportSectionColumn(
        "cost-per-install", "Cost per install", .money, .unsigned,
        "Spend per install, rounded to four places; empty without installs, and for a campaign with spend in several "
            + "currencies.", denominator: "installs")

    // MARK: Sections

    private static func impressionSection(_ costs: CampaignCosts, _ notes: CostNotes, top: Int?) -> ReportSection {
        let columns =
            keys + [
                impressions, installs,
                ReportSectionColumn(
                    "installs-with-impressions", "With impressions", .count, .signed,
                    "Installs of campaigns with impressions signed in these days."),
                ReportSectionColumn(
                    "installs-per-thousand", "Installs per thousand", .decimal, .ours,
                    "Installs of campaigns with impressions signed, per thousand of these impressions.",
                    denominator: "impressions"),
            ]
        func cells(_ keys: [String], _ sums: CostSums, _ counted: Int64) -> [ReportCell] {
            let rate = sums.impressions.map { impressions in
                ReportCell.decimal(Double(counted) * 1_000 / Double(impressions), places: 3)
            }
            return keys.map(ReportCell.key) + [
                sums.impressions.map { .count($0) } ?? .absent, .count(sums.installs), .count(counted),
                rate ?? .absent,
            ]
        }
        func compared(_ keys: [String], _ sums: CostSums) -> [ReportCell] {
            Array(cells(keys, sums, 0).prefix(6)) + [.absent, .absent]
        }
        var (total, counted) = (CostSums(), Int64(0))
        var previousTotal: CostSums?
        for row in costs.rows {
            total.add(row.current)
            counted += row.current.installsWithImpressions
            if let previous = row.previous {
                var sum = previousTotal ?? CostSums()
                sum.add(previous)
                previousTotal = sum
            }
        }
        let shown = costs.rows.filter { row in
            [row.current, row.previous].contains { $0.map { $0.installs > 0 || $0.impressions != nil } ?? false }
        }.enumerated().sorted { left, right in
            let (first, second) = (left.element.current, right.element.current)
            let order = [
                (first.impressions ?? -1, second.impressions ?? -1), (first.installs, second.installs),
                (Int64(-left.offset), Int64(-right.offset)),
            ].first { $0 != $1 }
            return order.map { $0 > $1 } ?? false
        }.map(\.element)
        let count = min(top ?? .max, shown.count)
        return ReportSection(
            name: "impressions", title: "Impressions and installs",
            meaning: "Ads signed for each campaign, and installs per thousand of them.", columns: columns,
            rows: shown.prefix(count).map { row in
                ReportSectionRow(
                    cells(row.keys, row.current, row.current.installsWithImpressions),
                    previous: row.previous.map { compared(row.keys, $0) })
            },
            totals: ReportSectionRow(
                cells(keys.map { _ in "" }, total, counted),
                previous: previousTotal.map { compared(keys.map { _ in "" }, $0) }),
            omittedRows: shown.count - count, notes: notes.impressions)
    }

    private static func spendSection(_ costs: CampaignCosts, _ notes: CostNotes, top: Int?) -> ReportSection {
        let columns =
            keys + [
                currency, spend, impressions.comparing(false), costPerThousand, installs,
                costPerInstall,
            ]
        let rows = costs.rows.flatMap { row in
            Set(row.current.spend.keys).union(row.previous?.spend.keys ?? [:].keys).map { (row: row, currency: $0) }
        }.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            guard first.currency == second.currency else {
                return first.currency < second.currency
            }
            let amounts = [first, second].map { $0.row.current.spend[$0.currency] ?? .zero }
            guard amounts[0] == amounts[1] else {
                return amounts[0] > amounts[1]
            }
            return first.row.keys.map { OrderedValue($0) }
                .lexicographicallyPrecedes(second.row.keys.map { OrderedValue($0) })
        }.map(\.element)
        func cells(_ row: CampaignCosts.Row, _ currency: CurrencyCode, _ sums: CostSums) -> [ReportCell] {
            let amount = sums.spend[currency]
            let rated = sums.hasOneCurrency ? amount : nil
            return (row.keys + [currency.text]).map(ReportCell.key) + [
                .optional(amount), sums.impressions.map { .count($0) } ?? .absent,
                .optional(sums.impressions.flatMap { rated?.divided(by: $0, times: 1_000) }), .count(sums.installs),
                .optional(rated?.divided(by: sums.installs)),
            ]
        }
        let shown = rows.prefix(top ?? .max)
        return ReportSection(
            name: "spend", title: "Spend",
            meaning: "What each campaign cost, in each currency, and what an install cost.",
            columns: columns,
            rows: shown.map { row, currency in
                ReportSectionRow(
                    cells(row, currency, row.current),
                    previous: row.previous.map { previous in
                        zip(columns, cells(row, currency, previous)).map { column, cell in
                            column.isCompared || column.kind == .key ? cell : .absent
                        }
                    })
            }, omittedRows: rows.count - shown.count, notes: notes.spend)
    }

    private static func currencySection(_ costs: CampaignCosts) -> ReportSection {
        let columns = [
            currency, spend,
            ReportSectionColumn("campaigns", "Campaigns", .count, .ours, "Campaigns with spend in the currency."),
            ReportSectionColumn(
                "spend-of-one-currency", "Of one currency", .money, .unsigned,
                "The spend of campaigns that have spend in this currency alone."),
            ReportSectionColumn(
                "installs", "Installs", .count, .signed, "The installs of campaigns with spend in this currency alone."),
            ReportSectionColumn(
                "cost-per-install", "Cost per install", .money, .unsigned,
                "Spend of campaigns with this currency alone per install of theirs, rounded to four places.",
                denominator: "installs"),
        ]
        let currencies = Set(
            costs.rows.flatMap { Array($0.current.spend.keys) + Array($0.previous?.spend.keys ?? [:].keys) })
        return ReportSection(
            name: "currencies", title: "Currencies", meaning: "All spend in each currency, and what an install cost.",
            columns: columns,
            rows: currencies.sorted().map { currency in
                let spent = costs.rows.filter { $0.current.spend[currency] != nil }
                let alone = spent.filter(\.current.hasOneCurrency)
                func sum(_ rows: [CampaignCosts.Row]) -> Money? {
                    rows.isEmpty ? nil : rows.compactMap { $0.current.spend[currency] }.reduce(.zero, +)
                }
                let installs = alone.reduce(0) { $0 + $1.current.installs }
                let previous = costs.rows.compactMap { $0.previous?.spend[currency] }
                let isCompared = costs.rows.contains { $0.previous != nil }
                let absent = [ReportCell](repeating: .absent, count: 4)
                return ReportSectionRow(
                    [
                        .key(currency.text), .optional(sum(spent)), .count(Int64(spent.count)), .optional(sum(alone)),
                        .count(installs), .optional(sum(alone)?.divided(by: installs)),
                    ],
                    previous: isCompared
                        ? [.key(currency.text), .optional(previous.isEmpty ? nil : previous.reduce(.zero, +))] + absent
                        : nil)
            })
    }
}

extension ReportCell {
    /// An amount, or nothing.
    fileprivate static func optional(_ amount: Money?) -> ReportCell {
        amount.map { .money($0) } ?? .absent
    }
}

extension CostSums {
    /// Adds what can be added: counts.
    fileprivate mutating func add(_ other: CostSums) {
        installs += other.installs
        if let count = other.impressions {
            impressions = (impressions ?? 0) + count
        }
    }
}
