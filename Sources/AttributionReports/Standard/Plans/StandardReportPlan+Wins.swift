import Attribution

extension StandardReportPlan {
    /// What was won and lost; a network alone hears of what it lost.
    static let wins = StandardReportPlan(
        ["days", "apps", "fidelity", "countries", "sources"],
        [
            // Fidelity is one of the traits, so that it costs no further cells.
            Breakdown([.app, .fidelity]), Breakdown([.country]), Breakdown(sourceDimensions),
        ]
    ) { figures in
        let kinds: [CountsFigure] = [.wins.compared, .losses.compared, .decided, .winRate.compared]
        let top = figures.request.selection.top
        func section(
            _ name: String,
            _ by: String,
            _ dimensions: [ReportDimension],
            _ rows: some Sequence<StandardReportFigures.Row>,
            notes: [String] = []
        ) -> ReportSection {
            CountsTable(dimensions, kinds).section(
                name, "Wins and losses by \(by)", "Ads that were credited with the install, and ads that were not.",
                rows, top: top, notes: notes)
        }
        return [
            CountsTable([.day], kinds).daySection(
                "days", "Wins and losses by day", "Ads that were credited with the install, and ads that were not.",
                figures, figures.days, notes: ["Versions before 3.0 do not say who won, and count as neither."]),
            section("apps", "app", [.app], figures.breakdowns[0].grouped(by: 0)),
            section("fidelity", "fidelity", [.fidelity], figures.breakdowns[0].grouped(by: 1)),
            section("countries", "country", [.country], figures.breakdowns[1]),
            section(
                "sources", "source", sourceDimensions, figures.breakdowns[2],
                notes: ["Apple never names the source of an ad that lost, so all losses are in the row without one."]),
        ]
    }
}
