import Attribution

extension CampaignCosts {
    /// A row for each currency of a campaign, for currencies are never added; in each the greatest amount first.
    func spendSection(_ notes: CostNotes, top: Int?) -> ReportSection {
        let columns =
            CostColumns.keys + [
                CostColumns.currency, CostColumns.spend, CostColumns.impressions.comparing(false),
                CostColumns.costPerThousand, CostColumns.installs, CostColumns.costPerInstall,
            ]
        let paid = rows.flatMap { row in
            Set(row.current.spend.keys).union(row.previous?.spend.keys ?? [:].keys).map { (row: row, currency: $0) }
        }.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            guard first.currency == second.currency else {
                return first.currency < second.currency
            }
            let amounts = [first, second].map { $0.row.current.spend[$0.currency] ?? .zero }
            // Campaigns are in the order of their keys.
            return amounts[0] == amounts[1] ? left.offset < right.offset : amounts[0] > amounts[1]
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
        let shown = paid.prefix(top ?? .max)
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
            }, omittedRows: paid.count - shown.count, notes: notes.spend)
    }

    /// All spend in each currency.
    var currencySection: ReportSection {
        let columns = [
            CostColumns.currency, CostColumns.spend,
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
            rows.flatMap { Array($0.current.spend.keys) + Array($0.previous?.spend.keys ?? [:].keys) })
        return ReportSection(
            name: "currencies", title: "Currencies", meaning: "All spend in each currency, and what an install cost.",
            columns: columns,
            rows: currencies.sorted().map { currency in
                let spent = rows.filter { $0.current.spend[currency] != nil }
                let alone = spent.filter(\.current.hasOneCurrency)
                func sum(_ rows: [CampaignCosts.Row]) -> Money? {
                    rows.isEmpty ? nil : rows.compactMap { $0.current.spend[currency] }.reduce(.zero, +)
                }
                let installs = alone.reduce(0) { $0 + $1.current.installs }
                let previous = rows.compactMap { $0.previous?.spend[currency] }
                let isCompared = rows.contains { $0.previous != nil }
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
