import Attribution

extension StandardReportPlan {
    /// The dimensions that tell apart who showed the ad.
    static let sourceDimensions: [ReportDimension] = [.sourceApp, .sourceDomain]

    /// Installs by the app or the website that showed the ad.
    static let sources = StandardReportPlan(["sources"], [Breakdown(sourceDimensions)]) { figures in
        let table = CountsTable(
            sourceDimensions,
            [
                .installs.compared, .redownloads, .redownloadKnown, .redownloadRate, .conversionNull, .nullRate,
                .conversionFine, .conversionMean, .reengagements, .postbacks,
            ])
        return [
            table.section(
                "sources", "Sources", "Installs by the app or the website that showed the ad.", figures.breakdowns[0],
                top: figures.request.selection.top, notes: [withheldSources],
                chart: .bars(category: ReportDimension.sourceApp.rawValue, value: "installs"))
        ]
    }

    /// Why postbacks lack a source.
    static let withheldSources =
        "Postbacks without a source are those of small crowds, of later windows and of ads that did not win: Apple "
        + "withholds the source there."
}
