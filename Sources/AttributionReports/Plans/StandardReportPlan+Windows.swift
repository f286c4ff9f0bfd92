import Attribution

extension StandardReportPlan {
    /// The three conversion windows, and how much of each can have arrived yet.
    static func windows(_ map: CampaignMap?) -> StandardReportPlan {
        // The sequence index is one of the traits, so that it costs no further cells.
        StandardReportPlan(
            ["funnel", "cohorts", "campaigns"], [Breakdown(campaignDimensions + [.sequenceIndex])]
        ) { figures in
            [funnelSection(figures), cohortSection(figures), campaignSection(figures, map)]
        }
    }

    /// A row for each campaign, of versions with windows.
    private static func campaignSection(_ figures: StandardReportFigures, _ map: CampaignMap?) -> ReportSection {
        var sums = CampaignSums<Counts>(map, figures.request)
        for row in figures.breakdowns.first ?? BreakdownRows([]) where row.values[4] != "" {
            sums.add(CampaignKey(row.values[..<4]), [], row.current, row.previous)
        }
        let kinds: [ReportFigure] = [
            .installsWithWindows.compared, .secondWindow.compared, .thirdWindow.compared,
        ]
        return SumTable(keys: sums.rollUp.columns(), figures: kinds.map { ($0.column, $0.cell) }).section(
            "campaigns", "Conversion windows by campaign",
            "Postbacks of each window that were received for each campaign; later ones may be about earlier installs.",
            sums.rows, ranks: 3, top: figures.request.selection.top, rollUp: sums.rollUp, notes: sums.rollUp.notes)
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
            notes: windowNotes + [laterPostbacks],
            chart: .bars(category: ReportDimension.sequenceIndex.rawValue, value: "postbacks"))
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

    /// Why more than a postback of a later window may come with each first one.
    private static let laterPostbacks =
        "Second and third postbacks are about installs of days or weeks before, so a period may have more of them than "
        + "first ones."

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

/// When the postback of a conversion window can arrive, by Apple's rules; in hours.
///
/// A window may be locked at any time, and then ends early. Repeats after a failed delivery, over at most nine days,
/// are not included.
///
/// - SeeAlso: [Receiving postbacks in multiple conversion
///   windows](https://developer.apple.com/documentation/storekit/receiving-postbacks-in-multiple-conversion-windows)
enum WindowArrival: Int, CaseIterable {
    case first, second, third

    /// When it arrives, after the first launch.
    private var sinceLaunch: ClosedRange<Int64> {
        let days = PostbackTiming(version: nil, sequenceIndex: Int64(rawValue)).sinceLaunch
        return days.lowerBound * 24...days.upperBound * 24
    }

    /// When it arrives, after the first postback of the same install; before it if that is negative.
    var sinceFirst: ClosedRange<Int64> {
        guard self != .first else {
            return 0...0
        }
        let first = Self.first.sinceLaunch
        return (sinceLaunch.lowerBound - first.upperBound)...(sinceLaunch.upperBound - first.lowerBound)
    }

    /// How many of some installs can have had the postback of the window by a moment, in Unix milliseconds.
    ///
    /// From those whose last chance has passed to those whose first chance has come.
    func arrivable(of cohort: Int64, received: Range<Int64>, at moment: Int64) -> ClosedRange<Int64> {
        guard self != .first else {
            return cohort...cohort
        }
        let hour: Int64 = 3_600_000
        let canHave = received.lowerBound + sinceFirst.lowerBound * hour <= moment
        let mustHave = received.upperBound + sinceFirst.upperBound * hour <= moment
        return (mustHave ? cohort : 0)...(canHave ? cohort : 0)
    }
}

/// What was received of each window, and what can have been.
struct WindowFigures {
    let total: Counts
    private let days: [CalendarDay: Counts]
    private let figures: StandardReportFigures
    /// Until when postbacks were counted, in Unix milliseconds.
    private let moment: Int64

    /// Takes the days of the period or of the previous one.
    init(_ figures: StandardReportFigures, isPrevious: Bool) {
        self.figures = figures
        let request = figures.request
        days = figures.daysOfWindows.filter { day, _ in
            isPrevious ? request.previous?.contains(day) == true : request.contains(day)
        }
        total = StandardReportFigures.sum(days)
        // Not the time of the request, so that the same position gives the same figures. Simulated days may be later.
        let last = figures.days.keys.max()?.start(in: figures.request.selection.timeZone)
        moment = max(figures.recordedAtMilliseconds ?? .min, last ?? .min)
    }

    /// How many postbacks of a window were received.
    func count(_ arrival: WindowArrival) -> Int64 {
        switch arrival {
        case .first: total[.installs]
        case .second: total[.secondWindow]
        case .third: total[.thirdWindow]
        }
    }

    /// How many installs of a day can have had the postback of a window.
    func arrivable(_ arrival: WindowArrival, _ day: CalendarDay) -> ClosedRange<Int64> {
        let zone = figures.request.selection.timeZone
        return arrival.arrivable(
            of: days[day]?[.installs] ?? 0, received: day.start(in: zone)..<day.next.start(in: zone), at: moment)
    }

    /// How many installs of all days can have had the postback of a window.
    func arrivable(_ arrival: WindowArrival) -> ClosedRange<Int64> {
        days.keys.reduce(0...0) { sum, day in
            let bounds = arrivable(arrival, day)
            return (sum.lowerBound + bounds.lowerBound)...(sum.upperBound + bounds.upperBound)
        }
    }
}
