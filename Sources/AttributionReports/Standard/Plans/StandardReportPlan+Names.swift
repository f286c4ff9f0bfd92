extension StandardReportPlan {
    /// The plan of a report.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - references: What is known besides the store; of no effect on the names of sections.
    package init(_ name: StandardReportName, _ references: ReportReferences = ReportReferences()) {
        self =
            switch name {
            case .overview: .overview
            case .campaigns: .campaigns
            case .sources: .sources
            case .conversions: .conversions
            case .windows: .windows
            case .wins: .wins
            case .redownloads: .redownloads
            case .reEngagements: .reEngagements
            case .tiers: .tiers
            case .revenue: .revenue(references.schemas)
            case .costs: .costs
            case .delivery: .delivery
            }
    }
}
