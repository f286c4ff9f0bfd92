package import Attribution

/// The columns that reports are counted from, with one value for each postback.
///
/// The raw values are part of the format of stores. A block's columns are stored in this order, so the most used come first.
package enum LedgerColumn: Int, CaseIterable, Sendable {
    /// The postback's ``Attribution/Traffic``; code 0, the empty text, marks a missing row.
    case traffic = 0
    /// Everything that decides what it counts as: see ``PostbackTraits``.
    case traits = 1
    /// When it was received, in quarter hours since 1970-01-01 UTC; in every time zone in use, days begin on one.
    case quarter = 2
    case app = 3
    case campaignID = 4
    case sourceIdentifier = 5
    case sourceApp = 6
    case sourceDomain = 7
    case network = 8
    case country = 9
    case marketplace = 10
    /// Whose copy came first.
    case recipient = 11
    /// 32 bits of a hash of the transaction id or postback identifier, for lookups.
    case transaction = 12
    /// The first eight bytes of the key digest, from which the owner fills its index.
    case key = 13

    /// Whether it holds codes of texts rather than numbers.
    package var isCoded: Bool {
        switch self {
        case .quarter, .transaction, .key: false
        default: true
        }
    }

    /// The columns that hold codes of texts.
    package static let coded = allCases.filter(\.isCoded)

    /// The columns that reports read.
    package static let reported = allCases.filter { $0 != .transaction && $0 != .key }

    /// All columns, made once.
    package static let all = allCases

    /// The column that holds a dimension's codes; nil for dimensions that follow from ``quarter`` or ``traits``.
    package init?(_ dimension: ReportDimension) {
        switch dimension {
        case .app: self = .app
        case .campaignID: self = .campaignID
        case .sourceIdentifier: self = .sourceIdentifier
        case .sourceApp: self = .sourceApp
        case .sourceDomain: self = .sourceDomain
        case .network: self = .network
        case .country: self = .country
        case .marketplace: self = .marketplace
        case .recipient: self = .recipient
        case .hour, .day, .week, .month, .installDays, .installDayEstimate: return nil
        case .framework, .version, .fidelity, .redownload, .sequenceIndex, .conversionType, .impressionType,
            .interactionType, .conversionValue:
            return nil
        }
    }
}
