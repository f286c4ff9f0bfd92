import Attribution

extension StandardReportPlan {
    /// The three conversion windows, and how much of each can have arrived yet.
    static let windows = StandardReportPlan(["funnel", "cohorts"]) { figures in
        [funnelSection(figures), cohortSection(figures)]
    }

    /// A row for each window, of all days.
    static func funnelSection(_ figures: StandardReportFigures) -> ReportSection {
        let current = WindowFigures(figures, isPrevious: false)
        let previous = figures.request.previous.map { _ in WindowFigures(figures, isPrevious: true) }
        func cells(_ arrival: WindowArrival, _ windows: WindowFigures) -> [ReportCell] {
            let cohort = windows.total[.installs]
            let count = windows.count(arrival)
            return [
                .key(String(arrival.rawValue)), .count(count), .count(cohort), .rate(count, of: cohort),
                .counts(windows.arrivable(arrival)), .rates(windows.arrivable(arrival), of: cohort),
            ]
        }
        return ReportSection(
            name: "funnel", title: "Conversion windows",
            meaning: "Postbacks of each window, and how many installs can have had one yet.",
            columns: [
                .key(.sequenceIndex),
                ReportColumn(
                    "postbacks", "Postbacks", .count, .signed,
                    "Postbacks of the window that were received in the period.",
                    isCompared: true),
                ReportColumn(
                    "first-postbacks", "First postbacks", .count, .signed,
                    "First postbacks of installs received in the period, of versions with windows.", isCompared: true,
                    isSum: false),
                ReportColumn(
                    "per-first", "Per first postback", .share, .signed,
                    "Postbacks of the window per first postback. Later ones may be about installs of an earlier period.",
                    denominator: "first-postbacks", isCompared: true),
                ReportColumn(
                    "can-have-arrived", "Can have arrived", .counts, .ours,
                    "Installs of the period whose postback of the window can have arrived yet, by Apple's delays: at least "
                        + "those whose last chance has passed, at most those whose first chance has come.", isSum: false
                ),
                ReportColumn(
                    "share-arrivable", "Share that can have", .shares, .ours,
                    "The share of these in first postbacks.", denominator: "first-postbacks", isCompared: true),
            ],
            rows: WindowArrival.allCases.map { arrival in
                ReportSectionRow(cells(arrival, current), previous: previous.map { cells(arrival, $0) })
            },
            notes: windowNotes, chart: .bars(category: ReportDimension.sequenceIndex.rawValue, value: "postbacks"))
    }

    /// A row for each day of first postbacks.
    private static func cohortSection(_ figures: StandardReportFigures) -> ReportSection {
        let windows = WindowFigures(figures, isPrevious: false)
        let table = SumTable(
            [.day], [.installsWithWindows.compared, .secondWindow.compared, .thirdWindow.compared])
        let days = table.daySection("", "", "", figures, figures.daysOfWindows)
        let rows = zip(days.rows, figures.shownDays).map { row, day in
            ReportSectionRow(
                row.cells + [.second, .third].map { .counts(windows.arrivable($0, day)) },
                previous: row.previous.map { $0 + [.absent, .absent] })
        }
        let totals = days.totals.map { totals in
            ReportSectionRow(
                totals.cells + [.second, .third].map { .counts(windows.arrivable($0)) },
                previous: totals.previous.map { $0 + [.absent, .absent] })
        }
        func column(_ name: String, _ title: String, _ words: String) -> ReportColumn {
            ReportColumn(
                name, title, .counts, .ours,
                "First postbacks of the day whose install can have had the \(words) postback yet, by Apple's delays.",
                isSum: true)
        }
        return ReportSection(
            name: "cohorts", title: "Conversion windows by day",
            meaning:
                "First postbacks of each day, the later ones received on it, and how many of its installs can have "
                + "had theirs yet.",
            columns: days.columns + [
                column("second-can-have-arrived", "Second can have arrived", "second"),
                column("third-can-have-arrived", "Third can have arrived", "third"),
            ],
            rows: rows, totals: totals, notes: windowNotes, chart: days.chart)
    }

    private static let windowNotes = [
        "After its first postback, an install's second one arrives between \(words(.second)), its third one between "
            + "\(words(.third)); repeats after failed deliveries may take nine days longer.",
        "Installs of the smallest crowds have no second and third postback, so not all that can arrive will.",
    ]

    private static func words(_ arrival: WindowArrival) -> String {
        let hours = arrival.sinceFirst
        let first = hours.lowerBound < 0 ? "\(-hours.lowerBound) hours earlier" : "\(hours.lowerBound)"
        return "\(first) and \(hours.upperBound) hours\(hours.lowerBound < 0 ? " later" : " after it")"
    }
}

extension ReportFigure {
    /// Installs of versions with conversion windows.
    fileprivate static let installsWithWindows = count(
        "first-postbacks", "First postbacks", .signed,
        "First postbacks of installs of versions with windows: 4.0 and AdAttributionKit."
    ) { $0[.installs] }
}
