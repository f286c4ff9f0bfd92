import Attribution
import AttributionStore

extension StandardReportPlan {
    /// Installs with what they are divided by: ads that were signed, and what they cost.
    static func costs(_ map: CampaignMap?) -> StandardReportPlan {
        StandardReportPlan(
            ["impressions", "spend", "currencies"], [Breakdown(campaignDimensions)], hasCosts: true
        ) { figures in
            let costs = CampaignCosts(figures, map)
            let notes = CostNotes(figures)
            let top = figures.request.selection.top
            return [
                impressionTable(costs.rollUp).section(
                    "impressions", "Impressions and installs",
                    "Ads signed for each campaign, and installs per thousand of them.", costs.rows, ranks: 2, top: top,
                    rollUp: costs.rollUp, notes: notes.impressions + costs.rollUp.notes),
                costs.spendSection(notes.spend + costs.rollUp.notes, top: top), costs.currencySection,
            ]
        }
    }

    /// The most ads first, and campaigns whose ads are not known last.
    private static func impressionTable(_ rollUp: CampaignRollUp) -> SumTable<CostSums> {
        SumTable(
            keys: rollUp.columns(isFilter: false),
            figures: [
                (CostColumns.impressions, { .optional($0.impressions) }),
                (CostColumns.installs, { .count($0.installs) }),
                (
                    ReportColumn(
                        "installs-with-impressions", "With impressions", .count, .signed,
                        "Installs of campaigns with impressions signed in these days, and of those with their last two digits."
                    ),
                    { .count($0.installsWithImpressions) }
                ),
                (
                    ReportColumn(
                        "installs-per-thousand", "Installs per thousand", .decimal, .ours,
                        "Installs of campaigns with impressions signed, per thousand of these impressions.",
                        denominator: "impressions"),
                    { sums in
                        sums.impressions.map { impressions in
                            .decimal(Double(sums.installsWithImpressions) * 1_000 / Double(impressions), places: 3)
                        } ?? .absent
                    }
                ),
            ])
    }
}

extension CampaignCosts {
    /// A row for each currency of a campaign, for currencies are never added; in each the greatest amount first.
    fileprivate func spendSection(_ notes: [String], top: Int?) -> ReportSection {
        let columns =
            rollUp.columns(isFilter: false) + [
                CostColumns.currency, CostColumns.spend, CostColumns.impressions.comparing(false),
                ReportColumn(
                    "cost-per-thousand", "Cost per thousand", .money, .unsigned,
                    "Spend per thousand impressions signed, rounded to four places; empty without impressions, and for "
                        + "a campaign with spend in several currencies.", denominator: "impressions"),
                CostColumns.installs, CostColumns.possibleInstalls,
                ReportColumn(
                    "cost-per-install", "Cost per install", .money, .unsigned,
                    "Spend per install, rounded to four places; empty without installs, and for a campaign with spend "
                        + "in several currencies.", denominator: "installs"),
            ]
        let paid = rows.flatMap { row in
            Set(row.current.spend.keys).union(row.previous?.spend.keys ?? [:].keys).map { (row: row, currency: $0) }
        }
        let (shown, omitted) = ReportSection.greatest(
            paid, top: top,
            arranged: { rows in
                // Campaigns are brought together in each currency.
                Dictionary(grouping: rows, by: \.currency).sorted { $0.key < $1.key }.flatMap {
                    rollUp.together($0.value) { CampaignKey($0.row.values[..<4]) }
                }
            }
        ) { left, right in
            let amounts = [left, right].map { $0.row.current.spend[$0.currency] ?? .zero }
            return left.currency == right.currency ? amounts[0] > amounts[1] : left.currency < right.currency
        }
        func cells(_ keys: [String], _ currency: CurrencyCode, _ sums: CostSums) -> [ReportCell] {
            let amount = sums.spend[currency]
            // Amounts of several currencies are never added, so that nothing can be divided by their sum.
            let rated = sums.spend.count == 1 ? amount : nil
            return (keys + [currency.text]).map(ReportCell.key) + [
                .optional(amount), .optional(sums.impressions),
                .optional(sums.impressions.flatMap { rated?.divided(by: $0, times: 1_000) }), .count(sums.installs),
                rollUp.isRolledUp ? .count(sums.possibleInstalls) : .absent,
                .optional(rated?.divided(by: sums.installs)),
            ]
        }
        return ReportSection(
            name: "spend", title: "Spend",
            meaning: "What each campaign cost, in each currency, and what an install cost.",
            columns: columns,
            rows: shown.map { row, currency in
                ReportSectionRow(
                    cells(row.values, currency, row.current),
                    previous: row.previous.map { previous in
                        zip(columns, cells(row.values, currency, previous)).map { column, cell in
                            column.isCompared || column.kind == .key ? cell : .absent
                        }
                    })
            }, omittedRows: omitted, notes: notes)
    }

    /// All spend in each currency.
    fileprivate var currencySection: ReportSection {
        let columns = [
            CostColumns.currency, CostColumns.spend,
            ReportColumn("campaigns", "Campaigns", .count, .ours, "Campaigns with spend in the currency."),
            ReportColumn(
                "spend-of-one-currency", "Of one currency", .money, .unsigned,
                "The spend of campaigns that have spend in this currency alone, as far as they can be told apart."),
            ReportColumn(
                "installs", "Installs", .count, .signed, "The installs of campaigns with spend in this currency alone."),
            ReportColumn(
                "cost-per-install", "Cost per install", .money, .unsigned,
                "Spend of campaigns with this currency alone per install of theirs, rounded to four places.",
                denominator: "installs"),
        ]
        func sum(_ amounts: [Money]) -> Money? {
            amounts.isEmpty ? nil : amounts.reduce(.zero, +)
        }
        let isCompared = rows.contains { $0.previous != nil }
        let currencies = Set(
            rows.flatMap { Array($0.current.spend.keys) + Array($0.previous?.spend.keys ?? [:].keys) })
        // Of campaigns that cannot be told apart, the installs are those of the spend of all.
        var ofFamilies: [CampaignRollUp.Family: Set<CurrencyCode>] = [:]
        for (row, family) in zip(rows, families) {
            ofFamilies[family, default: []].formUnion(row.current.spend.keys)
        }
        return ReportSection(
            name: "currencies", title: "Currencies", meaning: "All spend in each currency, and what an install cost.",
            columns: columns,
            rows: currencies.sorted().map { currency in
                let spent = rows.filter { $0.current.spend[currency] != nil }
                let alone = zip(rows, families).filter { ofFamilies[$1] == [currency] }.map(\.0)
                let installs = alone.reduce(0) { $0 + $1.current.installs }
                let spendAlone = sum(alone.compactMap { $0.current.spend[currency] })
                let previous = sum(rows.compactMap { $0.previous?.spend[currency] })
                return ReportSectionRow(
                    [
                        .key(currency.text), .optional(sum(spent.compactMap { $0.current.spend[currency] })),
                        .count(Int64(spent.count)), .optional(spendAlone), .count(installs),
                        .optional(spendAlone?.divided(by: installs)),
                    ],
                    previous: isCompared
                        ? [.key(currency.text), .optional(previous), .absent, .absent, .absent, .absent] : nil)
            })
    }
}

/// The columns of what ads cost.
enum CostColumns {
    static let impressions = ReportColumn(
        "impressions", "Impressions signed", .count, .ours,
        "Ads that were signed, each once in all its forms and versions, by the day (UTC) of the signature; empty if none "
            + "were counted, which is not 0. Whether an ad was shown is not known.", isCompared: true)
    static let installs = ReportFigure.installs.column.comparing()
    static let possibleInstalls = ReportColumn(
        "installs-possible", "Perhaps more", .count, .signed,
        "Installs of other rows whose ids may be of the campaign: with them, an install cost less.", isSum: false)
    static let spend = ReportColumn(
        "spend", "Spend", .money, .unsigned,
        "What was imported for these days (UTC) and this currency; empty if nothing was.", isCompared: true)
    static let currency = ReportColumn.names(
        "currency", "Currency", .ours, "The currency of the spend; currencies are never added.")
}

/// What a reader of costs has to know.
struct CostNotes {
    let impressions: [String]
    let spend: [String]

    init(_ figures: StandardReportFigures) {
        guard let ads = AdTraffic(figures.request.selection.traffic) else {
            let note =
                "Impressions signed and spend are those of real ads and of test ads, and are not compared with these "
                + "postbacks."
            (impressions, spend) = ([note], [note])
            return
        }
        let costs = figures.costs?.current ?? AdCosts()
        let common = ads == .test ? ["These are figures of test ads, which those of real ads never include."] : []
        impressions =
            [
                Self.known(
                    "Impressions signed", costs.signedDays,
                    ads == .real
                        ? "skan import --impressions, or a server that signs, adds them"
                        : "skan import --test-ads --impressions adds them"),
                "Impressions and spend are by the day (UTC) of the ad, installs by that of their postback, days to weeks "
                    + "later: the rates of a short period are of different ads.",
            ] + common
        let cure = ads == .real ? "skan import --spend adds it" : "skan import --test-ads --spend adds it"
        spend =
            [
                Self.known("Spend", costs.spendDays, cure),
                "The rates of a row are those of its own ids; totals and currencies count the installs of all identifiers "
                    + "with the same last two digits.",
            ] + common
    }

    /// For which days something is known.
    private static func known(_ what: String, _ days: [AdCosts.App: Set<CalendarDay>], _ cure: String) -> String {
        let days = days.values.reduce(into: Set<CalendarDay>()) { $0.formUnion($1) }
        guard let first = days.min(), let last = days.max() else {
            return "\(what): none is known for these days; \(cure)."
        }
        let missing = last.number - first.number + 1 - Int64(days.count)
        let gaps = missing == 0 ? "" : ", with \(missing) days in between without any"
        return "\(what): known from \(first) to \(last)\(gaps)."
    }
}
