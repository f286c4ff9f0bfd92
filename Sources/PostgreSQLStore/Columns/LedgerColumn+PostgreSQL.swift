import AttributionStore

extension LedgerColumn {
    /// The columns of blocks; the others serve lookups, for which PostgreSQL has indexes.
    static let ofBlocks = all.filter { $0 != .transaction && $0 != .key }

    /// The values that `skan.postback` has codes for in this column; nil for the others.
    var kind: CodedValue.Kind? {
        switch self {
        case .traits: .traits
        case .app: .app
        case .campaignID: .campaignID
        case .sourceIdentifier: .sourceIdentifier
        case .sourceApp: .sourceApp
        case .sourceDomain: .sourceDomain
        case .network: .network
        case .country: .country
        case .marketplace: .marketplace
        case .traffic, .quarter, .recipient, .transaction, .key: nil
        }
    }

    /// What is selected from `skan.postback` for it.
    var factSQL: String {
        switch self {
        case .traffic: "traffic"
        case .recipient: "recipient"
        case .quarter: "quarter"
        case .transaction: "transaction"
        case .key: "key_check"
        case .traits: "traits"
        case .app: "app"
        case .campaignID: "campaign_id"
        case .sourceIdentifier: "source_identifier"
        case .sourceApp: "source_app"
        case .sourceDomain: "source_domain"
        case .network: "network"
        case .country: "country"
        case .marketplace: "marketplace"
        }
    }
}
