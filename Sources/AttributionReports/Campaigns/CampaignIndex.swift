import Attribution

/// Finds the campaigns of an id without looking at those of other ids, however many there are.
struct CampaignIndex: Sendable {
    /// An id of a campaign; ids are unique in an app of a network.
    struct Key: Hashable {
        /// The network, as registered.
        let network: String
        let app: AppStoreItemID
        let id: ID
    }

    /// What is looked for.
    enum ID: Hashable {
        /// The decimal digits of a campaign id.
        case campaignID(String)
        /// Exactly these digits of a source identifier.
        case sourceIdentifier(String)
        /// Source identifiers that end in these digits and have more.
        case longerIdentifier(String)
    }

    /// The indices of campaigns, in ascending order.
    private var indices: [Key: [Int]] = [:]

    /// Adds a campaign, whose index is higher than those before.
    mutating func add(_ campaign: NamedCampaign, at index: Int) {
        for id in Self.ids(of: campaign) {
            indices[Key(network: campaign.network, app: campaign.app, id: id), default: []].append(index)
        }
    }

    /// The indices of the campaigns of an id, in ascending order.
    func indices(_ key: Key) -> [Int] {
        indices[key] ?? []
    }

    /// The groups of campaigns with one id each that is the same.
    var sharedIDs: [(id: ID, indices: [Int])] {
        indices.compactMap { key, indices in
            if case .longerIdentifier = key.id {
                return nil
            }
            return indices.count > 1 ? (key.id, indices) : nil
        }
    }

    private static func ids(of campaign: NamedCampaign) -> [ID] {
        var ids: [ID] = []
        if let id = campaign.campaignID {
            ids.append(.campaignID(String(id.value)))
        }
        if let identifier = campaign.sourceIdentifier {
            ids.append(.sourceIdentifier(identifier.digits))
            for count in 2..<identifier.digits.utf8.count {
                if let suffix = identifier.suffix(count) {
                    ids.append(.longerIdentifier(suffix))
                }
            }
        }
        return ids
    }
}
