package import Attribution

/// What campaigns and apps are called.
package struct CampaignMap: DocumentSet {
    /// The names of advertised apps.
    package internal(set) var apps: [AppStoreItemID: String] = [:]
    /// The names of apps that show ads.
    package internal(set) var sourceApps: [AppStoreItemID: String] = [:]
    /// The campaigns, in the order of the files.
    package private(set) var campaigns: [NamedCampaign] = []
    /// The indices of the campaigns of each id, in ascending order.
    private var indices: [Key: [Int]] = [:]

    /// An id of a campaign; ids are unique in an app of a network.
    private struct Key: Hashable {
        let network: String
        let app: AppStoreItemID
        let id: ID
    }

    private enum ID: Hashable {
        /// The decimal digits of a campaign id.
        case campaignID(String)
        /// Exactly these digits of a source identifier.
        case sourceIdentifier(String)
        /// Source identifiers that end in these digits and have more.
        case longerIdentifier(String)

        /// For how many days after the last ad postbacks with such an id may arrive.
        var late: Int64 {
            if case .campaignID = self {
                return NamedCampaign.daysAfterCampaignID
            }
            return NamedCampaign.daysAfterSourceIdentifier
        }

        /// The id in words; nil for what several campaigns may share.
        var text: String? {
            switch self {
            case .campaignID(let digits): "campaign id \(digits)"
            case .sourceIdentifier(let digits): "source identifier \(digits)"
            case .longerIdentifier: nil
            }
        }
    }

    package init() {}

    package init(
        documents: [(name: String, bytes: [UInt8])],
        besides known: InvalidDocuments = InvalidDocuments()
    ) throws(InvalidDocuments) {
        var invalid = known
        // One reader for all of them, because a map that is shared would be copied for each.
        var reader = CampaignMapReader()
        for (name, bytes) in documents {
            invalid.note(reader.read(bytes), in: name)
        }
        guard invalid.problems.isEmpty else {
            throw invalid
        }
        self = reader.map
    }

    /// Adds a campaign after the others.
    package mutating func add(_ campaign: NamedCampaign) {
        var ids: [ID] = []
        if let id = campaign.campaignID {
            ids.append(.campaignID(String(id.value)))
        }
        if let identifier = campaign.sourceIdentifier {
            ids.append(.sourceIdentifier(identifier.digits))
            ids += (2..<identifier.digits.utf8.count).compactMap { identifier.suffix($0).map(ID.longerIdentifier) }
        }
        for id in ids {
            indices[Key(network: campaign.network, app: campaign.app, id: id), default: []].append(campaigns.count)
        }
        campaigns.append(campaign)
    }

    // MARK: Conflicts

    /// Two campaigns that share an id while postbacks of both may arrive.
    package struct Conflict: Hashable, Sendable {
        /// The id that they share, such as `campaign id 12`.
        package let id: String
        /// The one that begins first.
        package let first: NamedCampaign
        /// The other one.
        package let second: NamedCampaign
        /// The last day on which postbacks of the first may arrive; nil for no end.
        package let lastArrival: CalendarDay?
    }

    /// The campaigns whose postbacks could be taken for each other.
    package var conflicts: [Conflict] {
        var conflicts: [Conflict] = []
        for (key, indices) in indices where indices.count > 1 {
            guard let id = key.id.text else {
                continue
            }
            // Each is compared only with those whose postbacks may still arrive when it begins: all are conflicts.
            var earlier: [NamedCampaign] = []
            for campaign in indices.map({ campaigns[$0] }).sorted(by: { $0.from < $1.from }) {
                earlier.removeAll { !$0.isTooClose(to: campaign, key.id.late) }
                conflicts += earlier.map {
                    Conflict(id: id, first: $0, second: campaign, lastArrival: $0.lastArrival(key.id.late))
                }
                earlier.append(campaign)
            }
        }
        return conflicts.sorted {
            ($0.second.from, $0.id, $0.second.name, $0.first.from, $0.first.name)
                < ($1.second.from, $1.id, $1.second.name, $1.first.from, $1.first.name)
        }
    }

    // MARK: Names

    /// The name of a campaign id, or the names that are possible, in postbacks received on some days; nil for any.
    package func name(
        ofCampaignID id: String,
        network: String,
        app: String,
        days: ClosedRange<CalendarDay>?
    ) -> CampaignName {
        let names = names(.campaignID(id), network, app, days)
        return names.count == 1 ? CampaignName(text: names[0], mapping: .named) : CampaignName(oneOf: names)
    }

    /// The name of a source identifier, from the group of its last two digits on, or the names that are possible.
    ///
    /// Digits that are missing are never guessed: two digits have the name of their group, or could be any of its
    /// campaigns.
    package func name(
        ofSourceIdentifier identifier: SourceIdentifier,
        network: String,
        app: String,
        days: ClosedRange<CalendarDay>?
    ) -> CampaignName {
        var path: [String] = []
        var deepest = 0
        // A single digit, which a device may send, is the end of none that a map can have.
        for count in 2..<max(2, identifier.digits.utf8.count + 1) {
            let names = names(.sourceIdentifier(String(identifier.digits.suffix(count))), network, app, days)
            guard names.count <= 1 else {
                return CampaignName(oneOf: names)
            }
            if let name = names.first {
                path.append(name)
                deepest = count
            }
        }
        guard !path.isEmpty else {
            // Only longer identifiers are known, one of which it is, unless it is another one of the group.
            return CampaignName(oneOf: names(.longerIdentifier(identifier.digits), network, app, days))
        }
        return CampaignName(
            text: path.joined(separator: " / "),
            mapping: deepest == identifier.digits.utf8.count ? .named : .group)
    }

    /// The names of the campaigns that postbacks with an id may be of, each once.
    private func names(_ id: ID, _ network: String, _ app: String, _ days: ClosedRange<CalendarDay>?) -> [String] {
        var known: Set<String> = []
        return campaigns(id, network, app, days).map(\.name).filter { known.insert($0).inserted }
    }

    /// The campaigns that postbacks with an id may be of.
    private func campaigns(
        _ id: ID, _ network: String, _ app: String, _ days: ClosedRange<CalendarDay>?
    ) -> [NamedCampaign] {
        guard let number = Int64(app) else {
            return []
        }
        let key = Key(network: network.lowercasedASCII, app: AppStoreItemID(number), id: id)
        return (indices[key] ?? []).map { campaigns[$0] }
            .filter { campaign in days.map { campaign.mayArrive(on: $0, id.late) } ?? true }
    }

    // MARK: Identifiers

    /// The identifiers of the campaigns that digits fit: these digits or else the longest group that they are of, or else
    /// all longer ones that end in them.
    func identifiers(
        fitting identifier: SourceIdentifier, network: String, app: String, days: ClosedRange<CalendarDay>?
    ) -> [String] {
        for count in (2..<max(2, identifier.digits.utf8.count + 1)).reversed() {
            let digits = String(identifier.digits.suffix(count))
            if !campaigns(.sourceIdentifier(digits), network, app, days).isEmpty {
                return [digits]
            }
        }
        return identifiers(endingIn: identifier.digits, network: network, app: app, days: days)
    }

    /// The identifiers of campaigns that end in some digits and have more, in ascending order.
    func identifiers(
        endingIn digits: String, network: String, app: String, days: ClosedRange<CalendarDay>?
    ) -> [String] {
        Set(campaigns(.longerIdentifier(digits), network, app, days).compactMap { $0.sourceIdentifier?.digits })
            .sorted()
    }
}

/// What a map says of the campaign of some postbacks.
package struct CampaignName: Hashable, Sendable {
    /// How much is known.
    package enum Mapping: String, CaseIterable, Sendable {
        /// The id has a name.
        case named
        /// The digits have no name, but a group that they belong to has one.
        case group
        /// Several campaigns are possible, and the postback does not say which.
        case ambiguous
        /// No campaign is known.
        case unmapped
    }

    /// The name; for several campaigns all of them, and empty for none.
    package let text: String
    package let mapping: Mapping

    fileprivate init(text: String, mapping: Mapping) {
        self.text = text
        self.mapping = mapping
    }

    /// Some possible names, of which a few are listed.
    fileprivate init(oneOf names: [String]) {
        let limit = 4
        text =
            names.prefix(limit).joined(separator: " or ")
            + (names.count > limit ? " or \(names.count - limit) more" : "")
        mapping = names.isEmpty ? .unmapped : .ambiguous
    }
}
