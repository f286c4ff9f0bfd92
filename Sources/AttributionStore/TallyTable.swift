import Attribution

/// One narrow table of tallies by UTC day, for one family of reports.
///
/// One cube over all dimensions would have nearly as many rows as there are postbacks; each of these has as many as
/// its own dimensions have combinations in a day.
enum TallyTable: String, CaseIterable, Sendable {
    case campaign = "tally_campaign"
    case source = "tally_source"
    case kind = "tally_kind"
    case conversion = "tally_conversion"

    /// The dimensions that make up a row's key, beside day and provenance.
    var dimensions: [ReportDimension] {
        switch self {
        case .campaign: [.framework, .network, .app, .campaignID, .sourceIdentifier]
        case .source: [.framework, .network, .app, .sourceApp, .sourceDomain]
        case .kind: [.framework, .network, .app, .version, .fidelity, .redownload, .sequenceIndex]
        case .conversion: [.framework, .network, .app, .conversionType, .marketplace, .country, .interactionType]
        }
    }

    /// The narrowest table that can answer a query, or nil when only the ledger can.
    static func answering(_ query: TallyQuery) -> TallyTable? {
        let needed = Set(query.dimensions + query.filters.map(\.dimension))
        return allCases.first { needed.isSubset(of: $0.dimensions) }
    }

    /// Milliseconds in the day by which tallies are kept, UTC without leap seconds.
    static let dayMilliseconds: Int64 = 86_400_000
}
