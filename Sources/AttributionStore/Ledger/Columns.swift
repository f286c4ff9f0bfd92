import Attribution

extension ReportDimension {
    /// The dimension's column in the ledger and in the tallies.
    var column: String {
        switch self {
        case .day: "day"
        case .framework: "framework"
        case .network: "ad_network_id"
        case .app: "app_id"
        case .campaignID: "campaign_id"
        case .sourceIdentifier: "source_identifier"
        case .sourceApp: "source_app_id"
        case .sourceDomain: "source_domain"
        case .version: "version"
        case .fidelity: "fidelity_type"
        case .redownload: "redownload"
        case .sequenceIndex: "sequence_index"
        case .conversionType: "conversion_type"
        case .marketplace: "marketplace"
        case .country: "country"
        case .interactionType: "interaction_type"
        }
    }

    /// The places of dimensions among the stored ones.
    static func places(of dimensions: [Self]) -> [Int] {
        dimensions.compactMap { stored.firstIndex(of: $0) }
    }
}
