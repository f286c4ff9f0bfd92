import Attribution
import AttributionStore

/// What is known of a campaign: its installs, and what they are divided by.
///
/// What has no value is not known, which is not 0.
struct CostSums: Summable {
    var installs: Int64 = 0
    var impressions: Int64?
    var spend: [CurrencyCode: Money] = [:]

    /// The installs of campaigns whose impressions are known, and of those that cannot be told apart from them.
    var installsWithImpressions: Int64 = 0
    /// Installs of other rows that may be of the campaign.
    var possibleInstalls: Int64 = 0

    static func += (lhs: inout Self, rhs: Self) {
        lhs.installs += rhs.installs
        lhs.impressions = rhs.impressions.map { (lhs.impressions ?? 0) + $0 } ?? lhs.impressions
        lhs.spend.merge(rhs.spend, uniquingKeysWith: +)
        lhs.installsWithImpressions += rhs.installsWithImpressions
        lhs.possibleInstalls += rhs.possibleInstalls
    }
}

/// What the ads of a campaign cost, and sums beside it.
protocol CostSummable: Summable {
    var costs: CostSums { get set }
}

extension CostSums: CostSummable {
    var costs: CostSums {
        get { self }
        set { self = newValue }
    }
}

extension CampaignSums where Sums: CostSummable {
    /// Adds what is known of the ads of both periods.
    mutating func addAds(_ figures: StandardReportFigures) {
        func sums(_ costs: CostSums) -> Sums {
            var sums = Sums()
            sums.costs = costs
            return sums
        }
        for (costs, isPrevious) in [(figures.costs?.current, false), (figures.costs?.previous, true)] {
            guard let costs, figures.request.previous != nil || !isPrevious else {
                continue
            }
            let ads =
                costs.signed.map { (CampaignKey($0), CostSums(impressions: $1)) }
                + costs.spend.map { (CampaignKey($0), CostSums(spend: $1)) }
            for (ids, known) in ads {
                add(ids, isOfAd: true, [], isPrevious ? Sums() : sums(known), isPrevious ? sums(known) : Sums())
            }
        }
    }

    /// Notes what follows from the installs and the ads of all campaigns, once all are added.
    ///
    /// The installs of a family count as those of its ads: their postbacks cannot all be told apart.
    mutating func noteFamilies() {
        for period in [\SumRow<Sums>.current, \.previousOrNothing] {
            let withImpressions = Set(
                sums.filter { $0.value[keyPath: period].costs.impressions != nil }.map {
                    rollUp.family(of: $0.key.campaign)
                })
            for (key, row) in sums {
                let installs = row[keyPath: period].costs.installs
                if withImpressions.contains(rollUp.family(of: key.campaign)) {
                    change(key) { $0[keyPath: period].costs.installsWithImpressions = installs }
                }
                for candidate in rollUp.candidates(of: key.campaign) {
                    change(Key(campaign: candidate, others: key.others)) {
                        $0[keyPath: period].costs.possibleInstalls += installs
                    }
                }
            }
        }
    }
}

extension SumRow {
    /// The sums of the previous period, which are lost where there is none.
    var previousOrNothing: Sums {
        get { previous ?? Sums() }
        set { previous = previous == nil ? nil : newValue }
    }
}

/// The sums of each campaign, in the period and in the previous one.
struct CampaignCosts {
    /// The campaigns, in the order of their keys.
    let rows: [SumRow<CostSums>]
    let rollUp: CampaignRollUp
    /// The family of each row, by its index.
    let families: [CampaignRollUp.Family]

    init(_ figures: StandardReportFigures, _ map: CampaignMap?) {
        var sums = CampaignSums<CostSums>(map, figures.request)
        for row in figures.breakdowns.first ?? BreakdownRows([]) {
            let (current, previous) = (row.current[.installs], row.previous?[.installs] ?? 0)
            if current > 0 || previous > 0 {
                sums.add(
                    CampaignKey(row.values[..<4]), [], CostSums(installs: current), CostSums(installs: previous))
            }
        }
        sums.addAds(figures)
        sums.noteFamilies()
        let rollUp = sums.rollUp
        (rows, self.rollUp) = (sums.rows, rollUp)
        families = rows.map { rollUp.family(of: CampaignKey($0.values[..<4])) }
    }
}

extension CampaignKey {
    /// The ids of a campaign that was signed for.
    init(_ campaign: SignedCampaign) {
        self.init(
            network: campaign.network, app: campaign.app.description,
            campaignID: campaign.campaignID.map { String($0.value) } ?? "",
            sourceIdentifier: campaign.sourceIdentifier.map { $0.value.padded(to: 4) } ?? "")
    }

    /// The ids of a campaign that money was spent on.
    init(_ campaign: SpendCampaign) {
        self.init(
            network: campaign.network, app: campaign.app.description,
            campaignID: campaign.campaignID.map { String($0.value) } ?? "",
            sourceIdentifier: campaign.sourceIdentifier?.digits ?? "")
    }
}
