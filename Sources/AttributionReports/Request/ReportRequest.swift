package import Attribution
package import AttributionStore
package import Foundation

/// A request for a report: which postbacks to count, how to break them down, and what to show.
package struct ReportRequest: Sendable {
    /// The dimensions of the rows, in order; empty for totals only.
    package var dimensions: [ReportDimension]
    /// The conditions, all of which must hold.
    package var conditions: [LedgerQuestion.Condition]
    /// The first day of receipt; nil for no limit.
    package var from: CalendarDay?
    /// The last day of receipt, inclusive; nil for no limit.
    package var through: CalendarDay?
    package var timeZone: TimeZone
    package var traffic: Traffic
    /// The position up to which to count; nil for everything.
    package var asOf: LedgerPosition?
    /// The figures to show, in order; nil for all.
    package var figures: [ReportFigure]?
    /// What to sort the rows by; nil for the order of the dimensions.
    package var sort: ReportSort?
    /// The maximum number of rows to show; nil for all.
    package var top: Int?
    /// Whether to show the conversion values as bars below tables.
    package var showsHistogram: Bool
    /// Whether who asks may know of some networks or apps alone: of the whole store, the report then has its position
    /// only.
    package var isLimited = false
    /// Whether who asks may know of some apps alone: the report then has no position either, which counts all postbacks,
    /// and no names of other apps.
    package var isLimitedToApps = false

    package init(
        dimensions: [ReportDimension] = [],
        conditions: [LedgerQuestion.Condition] = [],
        from: CalendarDay? = nil,
        through: CalendarDay? = nil,
        timeZone: TimeZone = .gmt,
        traffic: Traffic = .apple,
        asOf: LedgerPosition? = nil,
        top: Int? = nil,
        showsHistogram: Bool = false
    ) {
        self.dimensions = dimensions
        self.conditions = conditions
        self.from = from
        self.through = through
        self.timeZone = timeZone
        self.traffic = traffic
        self.asOf = asOf
        self.top = top
        self.showsHistogram = showsHistogram
    }

    /// The time of receipt in Unix milliseconds, or nil for all; an open end is the first or last year of
    /// `CalendarDay`.
    var received: Range<Int64>? {
        guard from != nil || through != nil else {
            return nil
        }
        let lower = from?.start(in: timeZone) ?? CivilDate.days(year: 1, month: 1, day: 1) * 86_400_000
        let upper = through?.next.start(in: timeZone) ?? CivilDate.days(year: 10_000, month: 1, day: 1) * 86_400_000
        return lower..<max(lower, upper)
    }

    func question(limits: LedgerLimits) -> LedgerQuestion {
        LedgerQuestion(
            dimensions: dimensions, conditions: conditions, received: received, traffic: traffic,
            calendar: LedgerCalendar(timeZone: timeZone), asOf: asOf, limits: limits)
    }
}

/// What the rows of a report are sorted by.
package struct ReportSort: Sendable {
    /// The sort key of a row.
    package enum Key: Sendable {
        case figure(ReportFigure)
        /// The index of one of the request's dimensions.
        case dimension(Int)
    }

    package let key: Key
    /// Whether the greatest value comes first.
    let isDescending: Bool
}
