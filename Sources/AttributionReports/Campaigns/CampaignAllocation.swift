package import Attribution
import Platform
import StrictJSON

/// Allocates a free id, so that postbacks of a campaign cannot be mistaken for those of another.
package struct CampaignAllocation: Sendable {
    /// Which id is wanted.
    package enum Kind: Hashable, Sendable {
        /// A campaign id, 1 to 100.
        case campaignID
        /// A source identifier of four digits, in a group of two digits that no other campaign has.
        case sourceIdentifier
        /// A source identifier of four digits that ends in some digits.
        case sourceIdentifierInGroup(SourceIdentifier)
    }

    package let name: String
    package let network: AdNetworkID
    package let app: AppStoreItemID
    /// The first and the last day (UTC) on which its ads run; nil for no end.
    package let from: CalendarDay
    package let through: CalendarDay?
    package let kind: Kind

    package init(
        name: String,
        network: AdNetworkID,
        app: AppStoreItemID,
        from: CalendarDay,
        through: CalendarDay?,
        kind: Kind
    ) {
        self.name = name
        self.network = network
        self.app = app
        self.from = from
        self.through = through
        self.kind = kind
    }

    /// The campaign with the first free id.
    package func campaign(in map: CampaignMap) throws(Refusal) -> NamedCampaign {
        let others = map.campaigns.filter { $0.sharesIDs(with: campaign(nil, nil)) }
        let free = candidates.first { candidate in
            !others.contains { isRival($0, of: candidate) && $0.isTooClose(to: candidate, late) }
        }
        guard let free else {
            throw refusal(others)
        }
        return free
    }

    /// The campaign with each id that it could have, in ascending order.
    private var candidates: [NamedCampaign] {
        let identifiers = (1_000...ImpressionSourceIdentifier.range.upperBound).lazy.compactMap {
            SourceIdentifier(String($0))
        }
        return switch kind {
        case .campaignID: CampaignID.range.map { campaign(CampaignID($0), nil) }
        case .sourceIdentifier: identifiers.map { campaign(nil, $0) }
        case .sourceIdentifierInGroup(let group):
            identifiers.filter { $0.digits.hasSuffix(group.digits) }.map { campaign(nil, $0) }
        }
    }

    /// Whether another campaign's postbacks could have the id of a candidate.
    private func isRival(_ other: NamedCampaign, of candidate: NamedCampaign) -> Bool {
        switch kind {
        case .campaignID: other.campaignID == candidate.campaignID
        // Postbacks of small crowds have two digits: two campaigns of one group could not be told apart.
        case .sourceIdentifier: other.sourceIdentifier?.suffix(2) == candidate.sourceIdentifier?.suffix(2)
        case .sourceIdentifierInGroup: other.sourceIdentifier == candidate.sourceIdentifier
        }
    }

    /// For how many days after the last ad postbacks with such an id may arrive.
    private var late: Int64 {
        kind == .campaignID ? NamedCampaign.daysAfterCampaignID : NamedCampaign.daysAfterSourceIdentifier
    }

    private func campaign(_ campaignID: CampaignID?, _ identifier: SourceIdentifier?) -> NamedCampaign {
        NamedCampaign(
            name: name, network: network, app: app, campaignID: campaignID, sourceIdentifier: identifier, from: from,
            through: through)
    }

    /// Allocates an id in a file, which is created if there is none.
    ///
    /// A lock keeps two commands from taking the same id. The file is written anew, and loses its formatting.
    ///
    /// - Throws: ``Attribution/InvalidDocuments`` for a file that is not as it must be, and ``Attribution/Refusal`` if no
    ///   id is free or the file cannot be written.
    package func allocate(inFile path: String) throws -> NamedCampaign {
        do {
            let replacement = try FileReplacement(locking: path)
            let bytes = try DocumentFile.bytes(orEmpty: path)
            var map = bytes.isEmpty ? CampaignMap() : try CampaignMap(documents: [(path, bytes)])
            let campaign = try campaign(in: map)
            map.add(campaign)
            try replacement.replace(with: map.document(name: path), mode: 0o644)
            return campaign
        } catch let problem as FileReplacement.Problem {
            throw Refusal(.unwritableFile, "cannot write \(path): \(problem.reason)")
        }
    }

    private func refusal(_ others: [NamedCampaign]) -> Refusal {
        let ids =
            switch kind {
            case .campaignID: "campaign ids 1 to 100"
            case .sourceIdentifier: "groups of source identifiers 00 to 99"
            case .sourceIdentifierInGroup(let group): "source identifiers that end in \(group)"
            }
        let isConcerned = { (campaign: NamedCampaign) in
            kind == .campaignID ? campaign.campaignID != nil : campaign.sourceIdentifier != nil
        }
        let free = others.filter(isConcerned).compactMap { $0.lastArrival(late)?.next }.filter { $0 > from }.min()
        return Refusal(
            .limitReached,
            "all \(ids) of app \(app) of \(network.registered) are in use, or postbacks with them may still arrive",
            hint: free.map { "an id is free from \($0) on; or end a campaign in the file with \"to\"" }
                ?? "end a campaign in the file with \"to\"")
    }
}

extension CampaignMap {
    /// The map as a file, a line for each name.
    ///
    /// - Throws: ``Attribution/Refusal`` for a file that would be too long to be read, and
    ///   ``Attribution/InvalidDocuments`` for one that would not be as it must be.
    package func document(name: String) throws -> [UInt8] {
        func list(_ lines: [JSONText]) -> String {
            lines.isEmpty ? "[]" : "[\n    " + lines.map(\.line).joined(separator: ",\n    ") + "\n  ]"
        }
        func names(_ apps: [AppStoreItemID: String]) -> [JSONText] {
            apps.sorted { $0.key.value < $1.key.value }.map {
                .object(["id": .integer($0.key.value), "name": .string($0.value)])
            }
        }
        let lists = [("apps", names(apps)), ("source-apps", names(sourceApps))].filter { !$0.1.isEmpty }
        let members = (lists + [("campaigns", campaigns.map(\.json))]).map { ",\n  \"\($0)\": \(list($1))" }
        let bytes = Array("{\n  \"version\": 1\(members.joined())\n}\n".utf8)
        guard bytes.count <= DocumentFile.limit else {
            throw Refusal(
                .limitReached, "\(name) would be longer than \(DocumentFile.limit) bytes, the most that is read",
                hint: "move campaigns that are over into another file")
        }
        // Read again, so that nothing is written that could not be read.
        _ = try CampaignMap(documents: [(name, bytes)])
        return bytes
    }
}

extension NamedCampaign {
    /// The campaign as an object.
    fileprivate var json: JSONText {
        var members: [(String, JSONText)] = [
            ("name", .string(name)), ("network", .string(network)), ("app", .integer(app.value)),
        ]
        if let campaignID {
            members.append(("campaign-id", .integer(campaignID.value)))
        }
        if let sourceIdentifier {
            members.append(("source-identifier", .string(sourceIdentifier.digits)))
        }
        members.append(("from", .string(from.description)))
        if let through {
            members.append(("to", .string(through.description)))
        }
        return .object(members)
    }
}
