package import Attribution
package import CodedErrors

/// What campaigns and apps are called.
package struct CampaignMap: DocumentSet {
    /// The names of advertised apps.
    package internal(set) var apps: [AppStoreItemID: String] = [:]
    /// The names of apps that show ads.
    package internal(set) var sourceApps: [AppStoreItemID: String] = [:]
    /// The campaigns, in the order of the files.
    package private(set) var campaigns: [NamedCampaign] = []
    /// Where the campaigns of an id are.
    private var index = CampaignIndex()

    /// Makes a map without names.
    package init() {}

    /// Reads documents.
    ///
    /// - Parameters:
    ///   - documents: JSON texts with their names.
    ///   - known: What is known to be wrong with others.
    /// - Throws: ``CodedErrors/InvalidDocuments`` with everything that is wrong with any of them.
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
    mutating func add(_ campaign: NamedCampaign) {
        index.add(campaign, at: campaigns.count)
        campaigns.append(campaign)
    }

    /// The campaigns of an id, in the order of the files.
    func campaigns(_ key: CampaignIndex.Key) -> [NamedCampaign] {
        index.indices(key).map { campaigns[$0] }
    }

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
        for (id, indices) in index.sharedIDs {
            switch id {
            case .campaignID(let text):
                conflicts += self.conflicts(indices, "campaign id \(text)", NamedCampaign.daysAfterCampaignID)
            case .sourceIdentifier(let text):
                conflicts += self.conflicts(
                    indices, "source identifier \(text)", NamedCampaign.daysAfterSourceIdentifier)
            case .longerIdentifier: break
            }
        }
        return conflicts.sorted {
            ($0.second.from, $0.id, $0.second.name, $0.first.from, $0.first.name)
                < ($1.second.from, $1.id, $1.second.name, $1.first.from, $1.first.name)
        }
    }

    /// The conflicts of the campaigns of one id.
    ///
    /// Each is compared only with those whose postbacks may still arrive when it begins, all of which are conflicts.
    private func conflicts(_ indices: [Int], _ id: String, _ late: Int64) -> [Conflict] {
        var conflicts: [Conflict] = []
        var earlier: [NamedCampaign] = []
        for campaign in indices.map({ campaigns[$0] }).sorted(by: { $0.from < $1.from }) {
            earlier.removeAll { !$0.isTooClose(to: campaign, late) }
            conflicts += earlier.map { first in
                Conflict(id: id, first: first, second: campaign, lastArrival: first.lastArrival(late))
            }
            earlier.append(campaign)
        }
        return conflicts
    }
}
