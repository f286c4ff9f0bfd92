package import Attribution
package import AttributionStore
package import Foundation

/// What a report is asked: which postbacks, broken down by what, in which days of which time zone, and what of it is shown.
package struct ReportRequest: Sendable {
    /// The dimensions of the rows, in order; none for totals alone.
    package var dimensions: [ReportDimension]
    /// What every counted postback must have, or must not have.
    package var conditions: [LedgerQuestion.Condition]
    /// The first day of receipt; nil for the first there is.
    package var from: CalendarDay?
    /// The last day of receipt, included; nil for the last there is.
    package var through: CalendarDay?
    /// The zone whose midnights begin the days.
    package var timeZone: TimeZone
    /// Which numbers are asked for.
    package var traffic: Traffic
    /// Counts what had been recorded up to there; nil for everything.
    package var asOf: LedgerPosition?
    /// The figures shown, in order; nil for all.
    package var columns: [ReportColumn]?
    /// What the rows are sorted by; nil for the order of the dimensions.
    package var sort: ReportSort?
    /// How many rows are shown; nil for all.
    package var top: Int?
    /// Whether tables are followed by the conversion values as bars.
    package var showsHistogram: Bool

    /// Makes a request.
    package init(
        dimensions: [ReportDimension] = [],
        conditions: [LedgerQuestion.Condition] = [],
        from: CalendarDay? = nil,
        through: CalendarDay? = nil,
        timeZone: TimeZone = .gmt,
        traffic: Traffic = .apple,
        asOf: LedgerPosition? = nil,
        columns: [ReportColumn]? = nil,
        sort: ReportSort? = nil,
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
        self.columns = columns
        self.sort = sort
        self.top = top
        self.showsHistogram = showsHistogram
    }

    /// The moments asked for, or nil for ever; open ends are the first and the last year a date can name.
    var received: Range<Int64>? {
        guard from != nil || through != nil else {
            return nil
        }
        let lower = from?.start(in: timeZone) ?? CivilDate.days(year: 1, month: 1, day: 1) * 86_400_000
        let upper = through?.next.start(in: timeZone) ?? CivilDate.days(year: 10_000, month: 1, day: 1) * 86_400_000
        return lower..<max(lower, upper)
    }

    /// What the ledger is asked.
    func question(limits: LedgerLimits) -> LedgerQuestion {
        LedgerQuestion(
            dimensions: dimensions, conditions: conditions, received: received, traffic: traffic,
            calendar: LedgerCalendar(timeZone: timeZone), asOf: asOf, limits: limits)
    }
}

/// What the rows of a report are sorted by.
package struct ReportSort: Sendable {
    /// What gives a row its place.
    enum Key: Sendable {
        case column(ReportColumn)
        /// The value of the dimension at an index among the request's.
        case dimension(Int)
    }

    let key: Key
    /// Whether the greatest comes first.
    let isDescending: Bool
}
