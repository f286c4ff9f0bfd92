import Attribution
import AttributionStore

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

    /// The numbers of a campaign with spend.
    static func numbers(_ campaign: SpendCampaign) -> [Number] {
        numbers(
            network: campaign.network, app: campaign.app.description,
            campaignID: campaign.campaignID.map { String($0.value) } ?? "",
            sourceIdentifier: campaign.sourceIdentifier?.digits ?? "")
    }
}
