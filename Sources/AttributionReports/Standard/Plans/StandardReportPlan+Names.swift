extension StandardReportPlan {
    /// The plan of a report.
    package init(_ name: StandardReportName) {
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
            case .delivery: .delivery
            }
    }
}
