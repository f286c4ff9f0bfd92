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

/// Campaigns at the level at which both their ads and all their postbacks are known.
///
/// A postback names a campaign id, or the last digits of a source identifier, of which two are always there. Ads that
/// were signed with both numbers may be answered under either, so that these belong together.
struct CampaignGroups {
    /// One number of a campaign.
    struct Number: Hashable {
        let network: String
        let app: String
        let kind: Kind
        /// The campaign id, or the last two digits of the source identifier.
        let text: String

        enum Kind {
            case campaignID, sourceIdentifier, none
        }
    }

    /// What each number that belongs with others leads to.
    private var parents: [Number: Number] = [:]

    /// Finds out which numbers the ads of two periods joined.
    init(_ figures: StandardReportFigures) {
        for costs in [figures.costs?.current, figures.costs?.previous].compactMap(\.self) {
            costs.signed.keys.forEach { join(Self.numbers($0)) }
            costs.spend.keys.forEach { join(Self.numbers($0)) }
        }
    }

    /// The numbers of a campaign; empty texts are none.
    static func numbers(network: String, app: String, campaignID: String, sourceIdentifier: String) -> [Number] {
        var numbers: [Number] = []
        if !campaignID.isEmpty {
            numbers.append(Number(network: network, app: app, kind: .campaignID, text: campaignID))
        }
        if !sourceIdentifier.isEmpty {
            numbers.append(
                Number(
                    network: network, app: app, kind: .sourceIdentifier, text: String(sourceIdentifier.suffix(2))))
        }
        return numbers.isEmpty ? [Number(network: network, app: app, kind: .none, text: "")] : numbers
    }

    /// Notes that numbers belong together.
    private mutating func join(_ numbers: [Number]) {
        guard let first = numbers.first else {
            return
        }
        for other in numbers.dropFirst() {
            let (left, right) = (root(of: first), root(of: other))
            // Both are noted, so that they are found as members.
            parents[first] = parents[first] ?? left
            parents[other] = parents[other] ?? right
            if left != right {
                parents[right] = left
            }
        }
    }

    /// The number that stands for all those that belong together.
    func root(of number: Number) -> Number {
        var root = number
        while let parent = parents[root], parent != root {
            root = parent
        }
        return root
    }

    /// All numbers that belong together, by the one that stands for them; those that are alone are left out.
    var members: [Number: [Number]] {
        Dictionary(grouping: parents.keys) { root(of: $0) }
    }
}

extension CampaignGroups {
    /// The numbers of a campaign that was signed for.
    static func numbers(_ campaign: SignedCampaign) -> [Number] {
        numbers(
            network: campaign.network, app: campaign.app.description,
            campaignID: campaign.campaignID.map { String($0.value) } ?? "",
            sourceIdentifier: campaign.sourceIdentifier.map { $0.value.padded(to: 4) } ?? "")
    }

    static func numbers(_ campaign: SpendCampaign) -> [Number] {
        numbers(
            network: campaign.network, app: campaign.app.description,
            campaignID: campaign.campaignID.map { String($0.value) } ?? "",
            sourceIdentifier: campaign.sourceIdentifier?.digits ?? "")
    }
}
