import Attribution

extension StandardReportPlan {
    /// How many campaigns and sources the overview has.
    private static let overviewRows = 10

    /// Whether all is well, and the most important figures of the other reports, from three passes.
    static let overview = StandardReportPlan(
        ["state", "days", "campaigns", "sources", "conversions", "windows", "deliveries", "quarantine"],
        [Breakdown(campaignDimensions), Breakdown(sourceDimensions)], hasDeliveries: true
    ) { figures in
        let top = min(figures.request.selection.top ?? overviewRows, overviewRows)
        var sections = [
            stateSection(figures),
            SumTable([.day], [.installs.compared, .redownloads, .redownloadKnown, .redownloadRate]).daySection(
                "days", "Installs by day", "Installs by day of receipt.", figures, figures.days),
            SumTable(campaignDimensions, [.installs.compared, .conversionNull, .nullRate]).section(
                "campaigns", "Top campaigns", "The campaigns with most installs.", figures.breakdowns[0], top: top,
                notes: [shortIdentifiers],
                chart: .bars(category: ReportDimension.campaignID.rawValue, value: "installs")),
            SumTable(sourceDimensions, [.installs.compared, .conversionNull, .nullRate]).section(
                "sources", "Top sources", "The apps and websites whose ads brought most installs.",
                figures.breakdowns[1], top: top, notes: [withheldSources],
                chart: .bars(category: ReportDimension.sourceApp.rawValue, value: "installs")),
            conversionSection("conversions", figures), funnelSection(figures).named("windows"),
        ]
        if let (current, previous) = figures.deliveries {
            sections += [
                outcomeSection(current, previous).named("deliveries"), quarantineSection(current, previous),
            ]
        }
        return sections
    }

    /// One row with the state of the store and the totals of the period.
    private static func stateSection(_ figures: StandardReportFigures) -> ReportSection {
        let totals: [ReportFigure] = [
            .postbacks.compared, .installs.compared, .secondWindow.compared, .thirdWindow.compared,
            .reengagements.compared, .losses.compared,
        ]
        let recordedAt = figures.request.selection.isLimited ? nil : figures.recordedAtMilliseconds
        let state: [ReportCell] = [
            figures.isRecording.map { .key($0 ? "yes" : "no") } ?? .absent,
            recordedAt.map(ReportCell.time) ?? .absent,
        ]
        func cells(_ counts: Counts) -> [ReportCell] {
            state + totals.map { $0.cell(counts) }
        }
        return ReportSection(
            name: "state", title: "At a glance",
            meaning: "Whether postbacks are recorded, and the totals of the period.",
            columns: [
                .names(
                    "recording", "Recording", .ours, "Whether the server that answers can record; unknown elsewhere."),
                ReportColumn(
                    "last-recorded", "Last recorded", .time, .ours, "When the last postback was recorded."),
            ] + totals.map(\.column),
            rows: [ReportSectionRow(cells(figures.total), previous: figures.previousTotal.map(cells))])
    }
}
