import Attribution

extension StandardReportPlan {
    /// Conversion values, one row each.
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
            conversionSection(
                "values", "Conversion values", "Each value that was received; null and absent are not the value 0.",
                figures, rows: Conversion.allCases.map { ($0.description, [$0]) }),
        ]
    }

    /// A section with a row for each value, or group of values.
    static func conversionSection(
        _ name: String,
        _ title: String,
        _ meaning: String,
        _ figures: StandardReportFigures,
        key: ReportSectionColumn = .key(.conversionValue),
        rows: [(name: String, conversions: [Conversion])]
    ) -> ReportSection {
        let current = figures.total(figures.days)
        let previous = figures.previousTotal(figures.days)
        func cells(_ name: String, _ conversions: [Conversion], _ counts: Counts) -> [ReportCell] {
            func sum(_ counter: (Conversion) -> Counts.Counter) -> Int64 {
                conversions.reduce(0) { $0 + counts[counter($1)] }
            }
            let installs = sum(Counts.Counter.conversion)
            return [
                .key(name), .count(installs), .rate(installs, of: counts[.installs]), .count(counts[.installs]),
                .count(sum(Counts.Counter.laterConversion)), .count(sum(Counts.Counter.reengagementConversion)),
            ]
        }
        func row(_ name: String, _ conversions: [Conversion]) -> ReportSectionRow {
            ReportSectionRow(
                cells(name, conversions, current), previous: previous.map { cells(name, conversions, $0) })
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
        ReportSectionColumn(
            "installs", "Installs", .count, .unsigned, "Installs whose first postback has the value.", isCompared: true),
        ReportSectionColumn(
            "share", "Share", .share, .unsigned, "The share of these in all installs.", denominator: "all-installs",
            isCompared: true),
        ReportSectionColumn(
            "all-installs", "All installs", .count, .signed, "All installs, with and without a value.",
            isCompared: true, isSum: false),
        ReportSectionColumn(
            "later-windows", "Later windows", .count, .unsigned,
            "Postbacks of an install's second and third window with the value."),
        ReportSectionColumn(
            "re-engagements", "Re-engagements", .count, .unsigned,
            "Re-engagements whose first postback has the value."),
    ]
}

extension Counts {
    /// Whether any postback has the value.
    fileprivate func has(_ conversion: Conversion) -> Bool {
        self[.conversion(conversion)] + self[.laterConversion(conversion)] + self[.reengagementConversion(conversion)]
            > 0
    }
}
