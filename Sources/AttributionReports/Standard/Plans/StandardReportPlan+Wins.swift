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
        let top = figures.request.selection.top
        let meaning = "Ads that were credited with the install, and ads that were not."
        func section(
            _ name: String,
            _ by: String,
            _ dimensions: [ReportDimension],
            _ rows: some Sequence<StandardReportFigures.Row>,
            _ kinds: [CountsFigure] = winFigures,
            notes: [String] = []
        ) -> ReportSection {
            CountsTable(dimensions, kinds).section(
                name, "Wins and losses by \(by)", meaning, rows, top: top, notes: notes)
        }
        return [
            CountsTable([.day], winFigures).daySection(
                "days", "Wins and losses by day", meaning, figures, figures.days,
                notes: ["Versions before 3.0 do not say who won, and count as neither."]),
            section("apps", "app", [.app], figures.breakdowns[0].grouped(by: 0)),
            section("fidelity", "fidelity", [.fidelity], figures.breakdowns[0].grouped(by: 1)),
            section("countries", "country", [.country], figures.breakdowns[1], notes: [lostCountries(figures)]),
            section(
                "sources", "source", sourceDimensions, figures.breakdowns[2], [.wins.compared, .losses.compared],
                notes: ["Apple never names the source of an ad that lost, so there is no rate by source."]),
        ]
    }

    private static let winFigures: [CountsFigure] = [
        .wins.compared, .losses.compared, .decided.compared, .winRate.compared,
    ]

    /// How far rates by country can be trusted.
    private static func lostCountries(_ figures: StandardReportFigures) -> String {
        let unnamed = figures.breakdowns[1].first { $0.values == [""] }?.current[.losses] ?? 0
        let all = figures.total(figures.days)[.losses]
        return "\(unnamed) of \(all) losses name no country, so rates by country are those of the others."
    }
}
