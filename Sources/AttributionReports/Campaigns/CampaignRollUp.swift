import Attribution
import AttributionStore

/// The ids of a campaign, or those that a postback has of them; a missing one is empty.
struct CampaignKey: Hashable, Sendable {
    let network: String
    let app: String
    let campaignID: String
    let sourceIdentifier: String

    init(network: String, app: String, campaignID: String = "", sourceIdentifier: String = "") {
        self.network = network
        self.app = app
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
    }

    /// Takes the values of ``StandardReportPlan/campaignDimensions``.
    init(_ values: ArraySlice<String>) {
        let values = Array(values)
        self.init(network: values[0], app: values[1], campaignID: values[2], sourceIdentifier: values[3])
    }

    var values: [String] {
        [network, app, campaignID, sourceIdentifier]
    }

    fileprivate func with(sourceIdentifier digits: String) -> CampaignKey {
        CampaignKey(network: network, app: app, sourceIdentifier: digits)
    }
}

/// Which campaign postbacks and ads are of: the one rule of every report with a row for each campaign.
///
/// Apple shortens source identifiers from the left: 39 may be 5239, 239 or itself. Digits that fit one campaign of the
/// map belong to it. Others stay a row of their own, below those that they may be of: nothing is guessed. Campaign ids
/// of up to 3.0 are other numbers, and are never joined with source identifiers.
struct CampaignRollUp: Sendable {
    /// Whether anything is joined.
    let isRolledUp: Bool
    private let map: CampaignMap?
    private let days: ClosedRange<CalendarDay>?
    /// The campaign of ids that were looked up before.
    private var known: [CampaignKey: CampaignKey] = [:]
    /// The campaigns that were seen and that shorter digits, or a campaign id, may stand for.
    private var seen: [CampaignKey: Set<CampaignKey>] = [:]
    /// What each family that ads joined with another one leads to.
    private var parents: [Family: Family] = [:]

    init(_ map: CampaignMap?, _ request: StandardReportRequest) {
        self.map = map
        days = request.namedDays
        isRolledUp = request.isRolledUp
    }

    /// The campaign of a postback's ids, as far as they say.
    mutating func campaign(_ ids: CampaignKey) -> CampaignKey {
        guard isRolledUp else {
            return ids
        }
        if let campaign = known[ids] {
            return campaign
        }
        let campaign = joined(ids)
        known[ids] = campaign
        let digits = campaign.sourceIdentifier
        if digits.utf8.count == SourceIdentifier.lengths.upperBound {
            for count in 2..<digits.utf8.count {
                seen[campaign.with(sourceIdentifier: String(digits.suffix(count))), default: []].insert(campaign)
            }
        }
        return campaign
    }

    /// The campaign of an ad's ids: one that was signed with both numbers is of its source identifier, and may be answered
    /// under either.
    mutating func campaign(ofAd ids: CampaignKey) -> CampaignKey {
        let campaign = campaign(ids)
        if !ids.campaignID.isEmpty, !ids.sourceIdentifier.isEmpty {
            let other = self.campaign(CampaignKey(network: ids.network, app: ids.app, campaignID: ids.campaignID))
            if isRolledUp {
                seen[other, default: []].insert(campaign)
            }
            let (left, right) = (family(of: campaign), family(of: other))
            if left != right {
                parents[right] = left
            }
        }
        return campaign
    }

    private func joined(_ ids: CampaignKey) -> CampaignKey {
        let network = ids.network.lowercasedASCII
        guard let identifier = SourceIdentifier(ids.sourceIdentifier) else {
            return CampaignKey(
                network: network, app: ids.app, campaignID: ids.campaignID, sourceIdentifier: ids.sourceIdentifier)
        }
        let fitting = map?.identifiers(fitting: identifier, network: network, app: ids.app, days: days) ?? []
        return CampaignKey(
            network: network, app: ids.app, sourceIdentifier: fitting.count == 1 ? fitting[0] : identifier.digits)
    }

    // MARK: Candidates

    /// The campaigns that postbacks of a row may be of besides its own; empty where the ids say it.
    func candidates(of campaign: CampaignKey) -> [CampaignKey] {
        let named = identifiersOfMap(endingIn: campaign)
        guard named.isEmpty else {
            return named.map { campaign.with(sourceIdentifier: $0) }
        }
        return (seen[campaign] ?? []).sorted { $0.sourceIdentifier < $1.sourceIdentifier }
    }

    private func identifiersOfMap(endingIn campaign: CampaignKey) -> [String] {
        guard isRolledUp, let map, !campaign.sourceIdentifier.isEmpty else {
            return []
        }
        return map.identifiers(
            endingIn: campaign.sourceIdentifier, network: campaign.network, app: campaign.app, days: days)
    }

    /// The candidates in words, such as `of 2 campaigns: 1139, 5239`; empty for none.
    func words(_ campaign: CampaignKey) -> String {
        let candidates = candidates(of: campaign).map(\.sourceIdentifier)
        guard !candidates.isEmpty else {
            return ""
        }
        let limit = 4
        let more = candidates.count > limit ? " and \(candidates.count - limit) more" : ""
        // A group of the map may have campaigns without a name.
        let isCounted = identifiersOfMap(endingIn: campaign).count > 1 && !isInMap(campaign)
        return (isCounted ? "of \(candidates.count) campaigns: " : "perhaps ")
            + candidates.prefix(limit).joined(separator: ", ") + more
    }

    private func isInMap(_ campaign: CampaignKey) -> Bool {
        SourceIdentifier(campaign.sourceIdentifier).map { identifier in
            map?.identifiers(fitting: identifier, network: campaign.network, app: campaign.app, days: days)
                == [identifier.digits]
        } ?? false
    }

    // MARK: Rows

    /// The columns of a campaign's keys.
    ///
    /// `isFilter` says whether the report can be narrowed to one of its rows.
    func columns(isFilter: Bool = true) -> [ReportColumn] {
        let ids: [ReportColumn] = [
            .key(.network), .key(.app), .key(.campaignID, isFilter: isFilter),
            .key(.sourceIdentifier, isFilter: isFilter && !(isRolledUp && map != nil)),
        ]
        guard isRolledUp else {
            return ids
        }
        return ids + [
            .names(
                "candidates", "Candidates", .ours,
                "Campaigns of which the row's postbacks may be: those of the map that its digits fit, or else longer "
                    + "identifiers that were seen, besides others that were not.")
        ]
    }

    /// Dimensions with those of campaigns first, if all of them are there.
    static func arranged(_ dimensions: [ReportDimension]) -> [ReportDimension] {
        let keys = StandardReportPlan.campaignDimensions
        return keys.allSatisfy(dimensions.contains) ? keys + dimensions.filter { !keys.contains($0) } : dimensions
    }

    /// The values of ``columns(isFilter:)``.
    func values(_ campaign: CampaignKey) -> [String] {
        campaign.values + (isRolledUp ? [words(campaign)] : [])
    }

    /// Why rows are as they are.
    var notes: [String] {
        guard isRolledUp else {
            return [StandardReportPlan.shortIdentifiers]
        }
        return [
            "Source identifiers of two or three digits are the last digits of longer ones. "
                + (map == nil
                    ? "Without a campaign map (--campaigns) they are rows of their own, below those of their digits."
                    : "Those that fit one campaign of the map count as its; others are rows of their own.")
        ]
    }

    /// Campaigns whose postbacks cannot all be told apart: those with the same last two digits.
    struct Family: Hashable {
        fileprivate let network: String
        fileprivate let app: String
        fileprivate let campaignID: String
        fileprivate let lastDigits: String
    }

    func family(of campaign: CampaignKey) -> Family {
        let digits = campaign.sourceIdentifier
        var root = Family(
            network: campaign.network.lowercasedASCII, app: campaign.app,
            campaignID: digits.isEmpty ? campaign.campaignID : "", lastDigits: String(digits.suffix(2)))
        while let parent = parents[root] {
            root = parent
        }
        return root
    }
}

extension CampaignRollUp {
    /// Brings the rows of a family together, where its first one is, and shorter digits below longer ones.
    func together<Row>(_ rows: [Row], _ campaign: (Row) -> CampaignKey) -> [Row] {
        guard isRolledUp else {
            return rows
        }
        var first: [Family: Int] = [:]
        let placed = rows.enumerated().map { index, row in
            let campaign = campaign(row)
            let family = family(of: campaign)
            let leader = first[family] ?? index
            first[family] = leader
            return (key: (leader, -campaign.sourceIdentifier.utf8.count, index), row: row)
        }
        return placed.sorted { $0.key < $1.key }.map(\.row)
    }
}

/// Sums of each campaign in the period and in the previous one.
struct CampaignSums<Sums: Summable> {
    private(set) var rollUp: CampaignRollUp
    /// The sums by campaign, and by other keys beside it.
    private(set) var sums: [Key: SumRow<Sums>] = [:]
    private let isCompared: Bool

    struct Key: Hashable {
        let campaign: CampaignKey
        let others: [String]
    }

    init(_ map: CampaignMap?, _ request: StandardReportRequest) {
        rollUp = CampaignRollUp(map, request)
        isCompared = request.previous != nil
    }

    /// Adds the sums of ids, which are those of an ad or of a postback.
    mutating func add(
        _ ids: CampaignKey, isOfAd: Bool = false, _ others: [String], _ current: Sums, _ previous: Sums?
    ) {
        let campaign = isOfAd ? rollUp.campaign(ofAd: ids) : rollUp.campaign(ids)
        let empty = SumRow(values: [], current: Sums(), previous: isCompared ? Sums() : nil)
        sums[Key(campaign: campaign, others: others), default: empty].add(
            SumRow(values: [], current: current, previous: isCompared ? previous ?? Sums() : nil))
    }

    /// Changes the sums of a campaign where they are.
    mutating func change(_ key: Key, _ change: (inout SumRow<Sums>) -> Void) {
        if let index = sums.index(forKey: key) {
            change(&sums.values[index])
        }
    }

    /// The rows in the order of their keys.
    var rows: [SumRow<Sums>] {
        sums.map { key, row in
            SumRow(values: rollUp.values(key.campaign) + key.others, current: row.current, previous: row.previous)
        }.map { row in (row, row.values.map { OrderedValue($0) }) }
            .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }
}
