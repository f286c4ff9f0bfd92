import Attribution

extension StandardReportPlan {
    /// Re-engagements of AdAttributionKit.
    static let reEngagements = StandardReportPlan(["days", "apps", "values"], [Breakdown([.app])]) { figures in
        let kinds: [CountsFigure] = [
            .reengagements.compared, .reengagementNull, .reengagementNullRate, .laterReengagements,
        ]
        let current = figures.total(figures.days)
        let previous = figures.previousTotal(figures.days)
        return [
            CountsTable([.day], kinds).daySection(
                "days", "Re-engagements by day", "Re-engagements by day of receipt.", figures, figures.days),
            CountsTable([.app], kinds).section(
                "apps", "Re-engagements by app", "Re-engagements of each app.", figures.breakdowns[0],
                top: figures.request.selection.top),
            valueSection(current, previous),
        ]
    }

    private static func valueSection(_ current: Counts, _ previous: Counts?) -> ReportSection {
        func row(_ name: String, _ conversions: [Conversion]) -> ReportSectionRow {
            func cells(_ counts: Counts) -> [ReportCell] {
                let count = conversions.reduce(0) { $0 + counts[.reengagementConversion($1)] }
                return [
                    .key(name), .count(count), .rate(count, of: counts[.reengagements]), .count(counts[.reengagements]),
                ]
            }
            return ReportSectionRow(cells(current), previous: previous.map(cells))
        }
        let occurring = Conversion.allCases.filter {
            current[.reengagementConversion($0)] + (previous?[.reengagementConversion($0)] ?? 0) > 0
        }
        return ReportSection(
            name: "values", title: "Conversion values of re-engagements",
            meaning: "The conversion values of first postbacks of re-engagements.",
            columns: [
                .key(.conversionValue),
                ReportSectionColumn(
                    "re-engagements", "Re-engagements", .count, .unsigned,
                    "Re-engagements whose first postback has the value.", isCompared: true),
                ReportSectionColumn(
                    "share", "Share", .share, .unsigned, "The share of these in all re-engagements.",
                    denominator: "all-re-engagements"),
                ReportSectionColumn(
                    "all-re-engagements", "All re-engagements", .count, .signed,
                    "All re-engagements, with and without a value.", isSum: false),
            ],
            rows: occurring.map { row($0.description, [$0]) }, totals: row("", Conversion.allCases),
            chart: .bars(category: "conversion-value", value: "re-engagements"))
    }
}
