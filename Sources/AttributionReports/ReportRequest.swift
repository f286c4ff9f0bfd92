public import Attribution
public import Foundation

/// What a report is asked: which postbacks, broken down by what, in which days of which time zone.
public struct ReportRequest: Sendable {
    /// The dimensions of the rows, in order; none for totals alone.
    public var dimensions: [ReportDimension]
    /// What every counted postback must have.
    public var filters: [TallyQuery.Filter]
    /// The first day of receipt; nil for the first there is.
    public var from: CalendarDay?
    /// The last day of receipt, included; nil for the last there is.
    public var through: CalendarDay?
    /// The zone whose midnights begin the days.
    public var timeZone: TimeZone
    /// Which numbers are asked for.
    public var traffic: Traffic

    /// Makes a request.
    public init(
        dimensions: [ReportDimension] = [],
        filters: [TallyQuery.Filter] = [],
        from: CalendarDay? = nil,
        through: CalendarDay? = nil,
        timeZone: TimeZone = .gmt,
        traffic: Traffic = .apple
    ) {
        self.dimensions = dimensions
        self.filters = filters
        self.from = from
        self.through = through
        self.timeZone = timeZone
        self.traffic = traffic
    }
}
