package import Attribution
package import CodedErrors

/// What campaigns and apps are called.
package struct CampaignMap: DocumentSet {
    /// The names of advertised apps.
    package internal(set) var apps: [AppStoreItemID: String] = [:]
    /// The names of apps that show ads.
    package internal(set) var sourceApps: [AppStoreItemID: String] = [:]
    /// The campaigns, in the order of the files.
    package internal(set) var campaigns: [NamedCampaign] = []

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
        for (name, bytes) in documents {
            var reader = CampaignMapReader(self)
            reader.read(bytes)
            invalid.note(reader.problems.all, in: name)
            self = reader.map
        }
        guard invalid.problems.isEmpty else {
            throw invalid
        }
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
        let groups = Dictionary(grouping: campaigns.indices) { index in
            "\(campaigns[index].app) \(campaigns[index].network)"
        }
        for indices in groups.values {
            for (position, left) in indices.enumerated() {
                for right in indices[..<position] {
                    conflicts += Self.conflicts(campaigns[right], campaigns[left])
                }
            }
        }
        return conflicts.sorted { ($0.second.from, $0.id, $0.second.name) < ($1.second.from, $1.id, $1.second.name) }
    }

    private static func conflicts(_ left: NamedCampaign, _ right: NamedCampaign) -> [Conflict] {
        let (first, second) = left.from <= right.from ? (left, right) : (right, left)
        var conflicts: [Conflict] = []
        func note(_ id: String, _ late: Int64) {
            if first.isTooClose(to: second, late) {
                conflicts.append(
                    Conflict(id: id, first: first, second: second, lastArrival: first.lastArrival(late)))
            }
        }
        if let id = first.campaignID, id == second.campaignID {
            note("campaign id \(id.value)", NamedCampaign.daysAfterCampaignID)
        }
        if let identifier = first.sourceIdentifier, identifier == second.sourceIdentifier {
            note("source identifier \(identifier)", NamedCampaign.daysAfterSourceIdentifier)
        }
        return conflicts
    }
}
