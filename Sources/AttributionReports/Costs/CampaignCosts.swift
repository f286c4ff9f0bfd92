import Attribution
import AttributionStore

/// What is known of a campaign: its installs, and what they are divided by.
///
/// What has no value is not known, which is not 0.
struct CostSums {
    var installs: Int64 = 0
    var impressions: Int64?
    var spend: [CurrencyCode: Money] = [:]

    /// The installs of campaigns whose impressions are known.
    var installsWithImpressions: Int64 {
        impressions == nil ? 0 : installs
    }

    /// Whether the installs can be divided by the spend: amounts of several currencies are never added.
    var hasOneCurrency: Bool {
        spend.count == 1
    }
}

/// The sums of each campaign, in the period and in the previous one.
struct CampaignCosts {
    /// The sums of one campaign.
    struct Row {
        /// The network, the app, the campaign ids, and the last two digits of source identifiers.
        let keys: [String]
        var current = CostSums()
        /// Nil if figures are not compared.
        var previous: CostSums?
    }

    /// The campaigns, in the order of their keys.
    let rows: [Row]

    /// Adds up answers.
    init(_ figures: StandardReportFigures) {
        let groups = CampaignGroups(figures)
        let members = groups.members
        var rows: [CampaignGroups.Number: Row] = [:]
        let none = figures.request.previous.map { _ in CostSums() }
        func change(_ numbers: [CampaignGroups.Number], _ change: (inout Row) -> Void) {
            guard let root = numbers.first.map({ groups.root(of: $0) }) else {
                return
            }
            var row = rows[root] ?? Row(keys: Self.keys(members[root] ?? [root]), previous: none)
            change(&row)
            rows[root] = row
        }
        for row in figures.breakdowns.first ?? BreakdownRows([]) {
            let (current, previous) = (row.current[.installs], row.previous?[.installs] ?? 0)
            guard current > 0 || previous > 0 else {
                continue
            }
            let numbers = CampaignGroups.numbers(
                network: row.values[0].lowercasedASCII, app: row.values[1], campaignID: row.values[2],
                sourceIdentifier: row.values[3])
            change(numbers) { row in
                row.current.installs += current
                row.previous?.installs += previous
            }
        }
        func add(_ costs: AdCosts?, to sums: WritableKeyPath<Row, CostSums>) {
            for (campaign, count) in costs?.signed ?? [:] {
                change(CampaignGroups.numbers(campaign)) { row in
                    row[keyPath: sums].impressions = (row[keyPath: sums].impressions ?? 0) + count
                }
            }
            for (campaign, amounts) in costs?.spend ?? [:] {
                change(CampaignGroups.numbers(campaign)) { row in
                    row[keyPath: sums].spend.merge(amounts) { $0 + $1 }
                }
            }
        }
        add(figures.costs?.current, to: \.current)
        if none != nil {
            add(figures.costs?.previous, to: \.previousOrNone)
        }
        self.rows = rows.values.sorted { left, right in
            left.keys.map { OrderedValue($0) }.lexicographicallyPrecedes(right.keys.map { OrderedValue($0) })
        }
    }

    /// The texts of numbers that belong together, several of a kind with a space between them.
    private static func keys(_ numbers: [CampaignGroups.Number]) -> [String] {
        func texts(_ kind: CampaignGroups.Number.Kind) -> String {
            numbers.filter { $0.kind == kind }.map { OrderedValue($0.text) }.sorted().map(\.text)
                .joined(separator: " ")
        }
        return [
            numbers.first?.network ?? "", numbers.first?.app ?? "", texts(.campaignID), texts(.sourceIdentifier),
        ]
    }
}

extension CampaignCosts.Row {
    /// The sums of the previous period, for adding to them.
    fileprivate var previousOrNone: CostSums {
        get { previous ?? CostSums() }
        set { previous = newValue }
    }
}
