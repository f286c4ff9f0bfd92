package import Attribution
package import AttributionStore

/// The answers to the questions of a plan, all of one position.
package struct StandardReportFigures: Sendable {
    /// The counts of one combination of the breakdown's dimensions.
    package typealias Row = SumRow<Counts>

    package let request: StandardReportRequest
    /// The counts of each day with postbacks, from the first one ever to the end of the period.
    package let days: [CalendarDay: Counts]
    /// The part of these that versions with conversion windows sent: 4.0 and AdAttributionKit.
    package let daysOfWindows: [CalendarDay: Counts]
    /// The rows of each breakdown of the plan, in its order.
    package let breakdowns: [BreakdownRows]
    /// The deliveries of the period and of the previous one; nil if the plan does not show them.
    package let deliveries: (current: DeliveryCounts, previous: DeliveryCounts?)?
    /// What is known of ads in the period and in the previous one; nil if the plan does not show it.
    package let costs: (current: AdCosts, previous: AdCosts?)?
    /// When the last postback counted was recorded, in Unix milliseconds; nil if there is none.
    package let recordedAtMilliseconds: Int64?
    /// Whether the process that answers records postbacks into the store; nil if that is not known.
    package let isRecording: Bool?

    package init(
        request: StandardReportRequest,
        days: [CalendarDay: Counts] = [:],
        daysOfWindows: [CalendarDay: Counts] = [:],
        breakdowns: [BreakdownRows] = [],
        deliveries: (current: DeliveryCounts, previous: DeliveryCounts?)? = nil,
        costs: (current: AdCosts, previous: AdCosts?)? = nil,
        recordedAtMilliseconds: Int64? = nil,
        isRecording: Bool? = nil
    ) {
        self.request = request
        self.days = days
        self.daysOfWindows = daysOfWindows
        self.breakdowns = breakdowns
        self.deliveries = deliveries
        self.costs = costs
        self.recordedAtMilliseconds = recordedAtMilliseconds
        self.isRecording = isRecording
    }
}

extension StandardReportFigures {
    /// The longest period with a row for each of its days; longer ones have rows for days with postbacks alone.
    private static let mostDays: Int64 = 3_660

    /// The days of the period: up to today or the last day with postbacks, whichever is later; without a first day,
    /// from the first to the last day with postbacks.
    var shownDays: [CalendarDay] {
        let used = days.keys.filter(request.contains).sorted()
        let first = request.selection.from ?? used.first
        let last = [request.period?.last ?? used.last, used.last].compactMap(\.self).max()
        guard let first, let last, first <= last else {
            return []
        }
        guard last.number - first.number < Self.mostDays else {
            return used
        }
        return (first.number...last.number).map { CalendarDay(number: $0) }
    }

    var total: Counts {
        Self.sum(days.filter { request.contains($0.key) })
    }

    /// The sum of all days of the previous period; nil if figures are not compared.
    var previousTotal: Counts? {
        request.previous.map { period in Self.sum(days.filter { period.contains($0.key) }) }
    }

    static func sum(_ days: [CalendarDay: Counts]) -> Counts {
        days.values.reduce(into: Counts()) { $0 += $1 }
    }
}

/// The rows of a breakdown, made on access: their counts are large, and only one row is needed at a time.
package struct BreakdownRows: Sequence, Sendable {
    private let make: @Sendable () -> AnyIterator<StandardReportFigures.Row>

    package init(_ rows: [StandardReportFigures.Row]) {
        make = { AnyIterator(rows.makeIterator()) }
    }

    /// Takes the rows of an answer; if it is split, their last value is the period, and those of a pair are adjacent.
    init(_ rows: LedgerRows, isSplit: Bool) {
        make = {
            var pending = rows.makeIterator()
            var next = pending.next()
            return AnyIterator {
                guard let row = next else {
                    return nil
                }
                next = pending.next()
                guard isSplit else {
                    return SumRow(values: row.values, current: row.counts, previous: nil)
                }
                let values = Array(row.values.dropLast())
                guard row.values.last == LedgerCalendar.previousPeriod else {
                    return SumRow(values: values, current: row.counts, previous: Counts())
                }
                var current = Counts()
                if let same = next, same.values.dropLast().elementsEqual(values) {
                    current = same.counts
                    next = pending.next()
                }
                return SumRow(values: values, current: current, previous: row.counts)
            }
        }
    }

    package func makeIterator() -> AnyIterator<StandardReportFigures.Row> {
        make()
    }

    /// The rows added up by one of their values.
    func grouped(by index: Int) -> [StandardReportFigures.Row] {
        var sums: [String: StandardReportFigures.Row] = [:]
        for row in self {
            let key = row.values[index]
            sums[key, default: SumRow(values: [key], current: Counts(), previous: nil)].add(row)
        }
        return sums.keys.map { OrderedValue($0) }.sorted().compactMap { sums[$0.text] }
    }

    /// The sum of the rows whose first value is the source app of builds signed for development.
    var ofDevelopmentBuilds: StandardReportFigures.Row {
        reduce(into: SumRow(values: [], current: Counts(), previous: nil)) { sum, row in
            if row.values.first == DevelopmentBuilds.sourceApp {
                sum.add(row)
            }
        }
    }

    var sum: StandardReportFigures.Row {
        reduce(into: SumRow(values: [], current: Counts(), previous: nil)) { $0.add($1) }
    }
}

extension LedgerCalendar {
    /// The dimension whose values are ``previousPeriod`` and ``currentPeriod`` in questions about two periods.
    static let periodDimension = ReportDimension.month
    /// The label of the previous period.
    static let previousPeriod = "previous"
    /// The label of the period.
    static let currentPeriod = "current"

    /// The dimension whose values are the numbers of segments.
    static let segmentDimension = ReportDimension.hour

    /// A calendar with two periods, so that one pass counts both, and with segments between ascending cuts.
    static func periods(from start: Int64, cuts: [Int64]) -> LedgerCalendar {
        let first = start.quarterOfAnHour
        let segments = cuts.map(\.quarterOfAnHour)
        return LedgerCalendar { dimension, quarter in
            dimension == segmentDimension ? Int64(segments.count { $0 <= quarter }) : quarter < first ? 0 : 1
        } label: { dimension, period in
            dimension == segmentDimension ? String(period) : period == 0 ? previousPeriod : currentPeriod
        }
    }
}
