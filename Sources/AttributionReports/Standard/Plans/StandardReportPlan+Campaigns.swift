import Attribution

extension StandardReportPlan {
    /// The dimensions that tell campaigns apart: ids are unique for an app of a network alone.
    static let campaignDimensions: [ReportDimension] = [.network, .app, .campaignID, .sourceIdentifier]

    /// Installs of each campaign, with what is known of their quality.
    static let campaigns = StandardReportPlan(["campaigns"], [Breakdown(campaignDimensions)]) { figures in
        let table = CountsTable(
            campaignDimensions,
            [
                .installs.compared, .redownloads, .redownloadKnown, .redownloadRate, .conversionNull, .nullRate,
                .conversionFine, .conversionMean, .wins, .losses, .decided, .winRate, .reengagements, .postbacks,
            ])
        return [
            table.section(
                "campaigns", "Campaigns", "Installs of each campaign of an app, those with most installs first.",
                figures.breakdowns[0], top: figures.request.selection.top, notes: [shortIdentifiers],
                chart: .bars(category: ReportDimension.campaignID.rawValue, value: "installs"))
        ]
    }

    /// Why identifiers of different lengths have rows of their own.
    static let shortIdentifiers =
        "Source identifiers of two or three digits are the last digits of several identifiers of four; they are counted "
        + "as they arrived, and never guessed deeper."
}
