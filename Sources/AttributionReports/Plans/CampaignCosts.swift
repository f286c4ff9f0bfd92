import Attribution
import AttributionStore

/// What is known of a campaign: its installs, and what they are divided by.
///
/// What has no value is not known, which is not 0.
struct CostSums: Summable {
    var installs: Int64 = 0
    var impressions: Int64?
    var spend: [CurrencyCode: Money] = [:]

    /// The installs of campaigns whose impressions are known.
    var installsWithImpressions: Int64 = 0

    static func += (lhs: inout Self, rhs: Self) {
        lhs.installs += rhs.installs
        lhs.impressions = rhs.impressions.map { (lhs.impressions ?? 0) + $0 } ?? lhs.impressions
        lhs.spend.merge(rhs.spend, uniquingKeysWith: +)
        lhs.installsWithImpressions += rhs.installsWithImpressions
    }
}

/// The sums of each campaign, in the period and in the previous one.
struct CampaignCosts {
    /// The campaigns, in the order of their keys: the network, the app, the campaign ids, and the last two digits of
    /// source identifiers.
    let rows: [SumRow<CostSums>]

    /// Adds up answers.
    init(_ figures: StandardReportFigures) {
        let groups = CampaignGroups(figures)
        let members = groups.members
        let isCompared = figures.request.previous != nil
        var rows: [CampaignGroups.Number: SumRow<CostSums>] = [:]
        func add(_ numbers: [CampaignGroups.Number], _ current: CostSums, _ previous: CostSums) {
            guard let root = numbers.first.map({ groups.root(of: $0) }) else {
                return
            }
            let sums = SumRow(values: [], current: current, previous: isCompared ? previous : nil)
            rows[
                root,
                default: SumRow(
                    values: Self.keys(members[root] ?? [root]), current: CostSums(),
                    previous: isCompared ? CostSums() : nil)
            ].add(sums)
        }
        for row in figures.breakdowns.first ?? BreakdownRows([]) {
            let (current, previous) = (row.current[.installs], row.previous?[.installs] ?? 0)
            guard current > 0 || previous > 0 else {
                continue
            }
            let numbers = CampaignGroups.numbers(
                network: row.values[0].lowercasedASCII, app: row.values[1], campaignID: row.values[2],
                sourceIdentifier: row.values[3])
            add(numbers, CostSums(installs: current), CostSums(installs: previous))
        }
        for (costs, isPrevious) in [(figures.costs?.current, false), (figures.costs?.previous, true)] {
            func note(_ numbers: [CampaignGroups.Number], _ sums: CostSums) {
                add(numbers, isPrevious ? CostSums() : sums, isPrevious ? sums : CostSums())
            }
            guard let costs, isCompared || !isPrevious else {
                continue
            }
            costs.signed.forEach { note(CampaignGroups.numbers($0), CostSums(impressions: $1)) }
            costs.spend.forEach { note(CampaignGroups.numbers($0), CostSums(spend: $1)) }
        }
        self.rows = rows.values.map { row in
            var row = row
            row.current.installsWithImpressions = row.current.impressions == nil ? 0 : row.current.installs
            return row
        }.sorted { left, right in
            left.values.map { OrderedValue($0) }.lexicographicallyPrecedes(right.values.map { OrderedValue($0) })
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
