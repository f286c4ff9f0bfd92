import Attribution

extension StandardReportPlan {
    static let conversions = StandardReportPlan(["kinds", "values"]) { figures in
        [
            conversionSection(
                "kinds", "Kinds of conversion values", "How many postbacks have a value, and of which kind.", figures,
                key: .names(
                    "kind", "Kind", ReportDimension.conversionValue.basis,
                    "Fine: 0 to 63. Coarse: low, medium, high. Invalid: something else, which no device sends."),
                rows: [
                    ("absent", [.absent]), ("null", [.null]), ("invalid", [.invalid]),
                    ("coarse", CoarseConversionValue.allCases.map(Conversion.coarse)),
                    ("fine", Conversion.allCases.filter(\.isFine)),
                ]),
            conversionSection("values", figures),
        ]
    }

    /// A section with a row for each value.
    static func conversionSection(_ name: String, _ figures: StandardReportFigures) -> ReportSection {
        conversionSection(
            name, "Conversion values", "Each value that was received; null and absent are not the value 0.",
            figures, rows: Conversion.allCases.map { ($0.description, [$0]) })
    }

    /// A section with a row for each group of values.
    private static func conversionSection(
        _ name: String,
        _ title: String,
        _ meaning: String,
        _ figures: StandardReportFigures,
        key: ReportColumn = .key(.conversionValue),
        rows: [(name: String, conversions: [Conversion])]
    ) -> ReportSection {
        let current = figures.total
        let previous = figures.previousTotal
        func row(_ name: String, _ conversions: [Conversion]) -> ReportSectionRow {
            func cells(_ counts: Counts) -> [ReportCell] {
                let installs = counts.sum(conversions, Counts.Counter.conversion)
                return [
                    .key(name), .count(installs), .rate(installs, of: counts[.installs]), .count(counts[.installs]),
                    .count(counts.sum(conversions, Counts.Counter.laterConversion)),
                    .count(counts.sum(conversions, Counts.Counter.reengagementConversion)),
                ]
            }
            return ReportSectionRow(cells(current), previous: previous.map(cells))
        }
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: [key] + conversionColumns,
            rows: rows.filter { name, conversions in
                // Values that do not occur are left out, but that nothing is absent, null or invalid is worth a row.
                conversions.count > 1 || conversions.contains(where: \.isNone)
                    || conversions.contains { current.has($0) || previous?.has($0) ?? false }
            }.map { row($0.name, $0.conversions) },
            totals: row("", Conversion.allCases),
            notes: ["Anyone who has a postback can change its conversion value; the first verified copy counts."],
            chart: .bars(category: key.name, value: "installs"))
    }

    private static let conversionColumns = [
        ReportColumn(
            "installs", "Installs", .count, .unsigned, "Installs whose first postback has the value.", isCompared: true),
        ReportColumn(
            "share", "Share", .share, .unsigned, "The share of these in all installs.", denominator: "all-installs",
            isCompared: true),
        ReportColumn(
            "all-installs", "All installs", .count, .signed, "All installs, with and without a value.",
            isCompared: true, isSum: false),
        ReportColumn(
            "later-windows", "Later windows", .count, .unsigned,
            "Postbacks of an install's second and third window with the value."),
        ReportColumn(
            "re-engagements", "Re-engagements", .count, .unsigned,
            "Re-engagements whose first postback has the value."),
    ]

    static let reEngagements = StandardReportPlan(["days", "apps", "values"], [Breakdown([.app])]) { figures in
        let kinds: [ReportFigure] = [
            .reengagements.compared, .reengagementNull, .reengagementNullRate, .laterReengagements,
        ]
        return [
            SumTable([.day], kinds).daySection(
                "days", "Re-engagements by day", "Re-engagements by day of receipt.", figures, figures.days),
            SumTable([.app], kinds).section(
                "apps", "Re-engagements by app", "Re-engagements of each app.", figures.breakdowns[0],
                top: figures.request.selection.top),
            reengagementSection(figures.total, figures.previousTotal),
        ]
    }

    private static func reengagementSection(_ current: Counts, _ previous: Counts?) -> ReportSection {
        func row(_ name: String, _ conversions: [Conversion]) -> ReportSectionRow {
            func cells(_ counts: Counts) -> [ReportCell] {
                let count = counts.sum(conversions, Counts.Counter.reengagementConversion)
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
                ReportColumn(
                    "re-engagements", "Re-engagements", .count, .unsigned,
                    "Re-engagements whose first postback has the value.", isCompared: true),
                ReportColumn(
                    "share", "Share", .share, .unsigned, "The share of these in all re-engagements.",
                    denominator: "all-re-engagements"),
                ReportColumn(
                    "all-re-engagements", "All re-engagements", .count, .signed,
                    "All re-engagements, with and without a value.", isSum: false),
            ],
            rows: occurring.map { row($0.description, [$0]) }, totals: row("", Conversion.allCases),
            chart: .bars(category: "conversion-value", value: "re-engagements"))
    }
}

extension Counts {
    fileprivate func sum(_ conversions: [Conversion], _ counter: (Conversion) -> Counter) -> Int64 {
        conversions.reduce(0) { $0 + self[counter($1)] }
    }

    fileprivate func has(_ conversion: Conversion) -> Bool {
        self[.conversion(conversion)] + self[.laterConversion(conversion)] + self[.reengagementConversion(conversion)]
            > 0
    }
}
