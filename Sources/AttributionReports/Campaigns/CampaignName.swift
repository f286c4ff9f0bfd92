package import Attribution

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
    /// How much is known.
    package let mapping: Mapping

    fileprivate init(_ text: String, _ mapping: Mapping) {
        self.text = text
        self.mapping = mapping
    }

    fileprivate static let unmapped = CampaignName("", .unmapped)

    /// How many names are listed when several are possible.
    private static let limit = 4

    /// Several possible names.
    fileprivate static func several(_ names: [String]) -> CampaignName {
        let more = names.count - limit
        return CampaignName(
            names.prefix(limit).joined(separator: " or ") + (more > 0 ? " or \(more) more" : ""), .ambiguous)
    }
}

extension CampaignMap {
    /// The name of a campaign id.
    ///
    /// - Parameters:
    ///   - id: The campaign id.
    ///   - network: The network that received the postbacks.
    ///   - app: The advertised app.
    ///   - days: When they were received; nil for any time.
    /// - Returns: The name, or the names that are possible.
    package func name(
        ofCampaignID id: String,
        network: String,
        app: String,
        days: ClosedRange<CalendarDay>?
    ) -> CampaignName {
        let names = possible(.campaignID(id), network, app, days, NamedCampaign.daysAfterCampaignID).names
        return switch names.count {
        case 0: .unmapped
        case 1: CampaignName(names[0], .named)
        default: .several(names)
        }
    }

    /// The name of a source identifier, from the group of its last two digits on.
    ///
    /// Digits that are missing are never guessed: two digits have the name of their group, or could be any of its
    /// campaigns.
    ///
    /// - Parameters:
    ///   - identifier: The digits as received.
    ///   - network: The network that received the postbacks.
    ///   - app: The advertised app.
    ///   - days: When they were received; nil for any time.
    /// - Returns: The names of the groups and the campaign, or those that are possible.
    package func name(
        ofSourceIdentifier identifier: SourceIdentifier,
        network: String,
        app: String,
        days: ClosedRange<CalendarDay>?
    ) -> CampaignName {
        func names(_ id: CampaignIndex.ID) -> [String] {
            possible(id, network, app, days, NamedCampaign.daysAfterSourceIdentifier).names
        }
        var path: [String] = []
        var deepest = 0
        for count in 2...identifier.digits.utf8.count {
            let names = names(.sourceIdentifier(String(identifier.digits.suffix(count))))
            guard names.count <= 1 else {
                return .several(names)
            }
            if let name = names.first {
                path.append(name)
                deepest = count
            }
        }
        guard !path.isEmpty else {
            // Only longer identifiers are known, one of which it is, unless it is another one of the group.
            let names = names(.longerIdentifier(identifier.digits))
            return names.isEmpty ? .unmapped : .several(names)
        }
        return CampaignName(
            path.joined(separator: " / "), deepest == identifier.digits.utf8.count ? .named : .group)
    }

    /// The campaigns of an id that postbacks may be of.
    private func possible(
        _ id: CampaignIndex.ID,
        _ network: String,
        _ app: String,
        _ days: ClosedRange<CalendarDay>?,
        _ late: Int64
    ) -> [NamedCampaign] {
        guard let number = Int64(app) else {
            return []
        }
        let campaigns = campaigns(
            CampaignIndex.Key(network: network.lowercasedASCII, app: AppStoreItemID(number), id: id))
        return days.map { days in campaigns.filter { $0.mayArrive(on: days, late) } } ?? campaigns
    }
}

extension [NamedCampaign] {
    /// The names, each once.
    fileprivate var names: [String] {
        var known: Set<String> = []
        return map(\.name).filter { known.insert($0).inserted }
    }
}
