extension StandardReportPlan {
    /// Installs with what they are divided by: ads that were signed, and what they cost.
    static let costs = StandardReportPlan(
        ["impressions", "spend", "currencies"], [Breakdown(campaignDimensions)], hasCosts: true
    ) { figures in
        let costs = CampaignCosts(figures)
        let notes = CostNotes(figures)
        let top = figures.request.selection.top
        return [
            costs.impressionSection(notes, top: top), costs.spendSection(notes, top: top), costs.currencySection,
        ]
    }
}
