import Attribution

/// A family of reports whose dimensions are tallied together, for each app and UTC day.
///
/// One cube over all dimensions would have nearly as many rows as there are postbacks; each of these has as many as
/// its own dimensions have combinations in a day.
enum TallyFamily: String, CaseIterable, Sendable {
    case campaign
    case source
    case kind
    case conversion

    /// The dimensions all families have: they name an app, whose rows of a day stand together.
    static let shared: [ReportDimension] = [.framework, .network, .app]

    /// The dimensions of its rows, beside those of their app.
    var dimensions: [ReportDimension] {
        switch self {
        case .campaign: [.campaignID, .sourceIdentifier]
        case .source: [.sourceApp, .sourceDomain]
        case .kind: [.version, .fidelity, .redownload, .sequenceIndex]
        case .conversion: [.conversionType, .marketplace, .country, .interactionType]
        }
    }

    /// The byte that names it in the store, for ever.
    var code: UInt8 {
        switch self {
        case .campaign: 0
        case .source: 1
        case .kind: 2
        case .conversion: 3
        }
    }

    /// The family a byte of the store names.
    init?(code: UInt8) {
        switch code {
        case 0: self = .campaign
        case 1: self = .source
        case 2: self = .kind
        case 3: self = .conversion
        default: return nil
        }
    }

    /// The first family that can answer a query, or nil when only the ledger can.
    static func answering(_ query: TallyQuery) -> TallyFamily? {
        let needed = Set(query.dimensions + query.filters.map(\.dimension)).subtracting(shared)
        return allCases.first { needed.isSubset(of: $0.dimensions) }
    }

    /// Milliseconds in the day by which tallies are kept, UTC without leap seconds.
    static let dayMilliseconds: Int64 = 86_400_000
}
