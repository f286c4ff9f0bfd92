package import Attribution

/// Which recorded postbacks to count, and by what to break the counts down.
package struct LedgerQuestion: Sendable {
    /// What a counted postback must have, or must not have, in one dimension.
    package struct Condition: Hashable, Sendable {
        /// The dimension; none of time, which ``LedgerQuestion/received`` bounds.
        package let dimension: ReportDimension
        /// Any of these values; the empty text stands for postbacks that carry none.
        package let values: Set<String>
        /// Whether postbacks with such a value are left out instead of being counted alone.
        package let isExcluded: Bool

        /// Makes a condition.
        package init(dimension: ReportDimension, values: Set<String>, isExcluded: Bool = false) {
            self.dimension = dimension
            self.values = values
            self.isExcluded = isExcluded
        }
    }

    /// The dimensions of the rows, in order, each once; empty gives the totals alone.
    package var dimensions: [ReportDimension]
    /// All that must hold.
    package var conditions: [Condition]
    /// When they were received, in Unix milliseconds, to the quarter of an hour; nil for ever.
    package var received: Range<Int64>?
    /// Which numbers are asked for.
    package var traffic: Traffic
    /// How time falls into the dimensions of time.
    package var calendar: LedgerCalendar
    /// Counts what had been recorded up to there; nil for everything.
    package var asOf: LedgerPosition?
    /// How much an answer may cost.
    package var limits: LedgerLimits

    /// Makes a question.
    package init(
        dimensions: [ReportDimension] = [],
        conditions: [Condition] = [],
        received: Range<Int64>? = nil,
        traffic: Traffic = .apple,
        calendar: LedgerCalendar = .unix,
        asOf: LedgerPosition? = nil,
        limits: LedgerLimits = LedgerLimits()
    ) {
        self.dimensions = dimensions
        self.conditions = conditions
        self.received = received
        self.traffic = traffic
        self.calendar = calendar
        self.asOf = asOf
        self.limits = limits
    }
}

/// How quarters of an hour fall into the dimensions of time; every time zone in use begins its days on one.
package struct LedgerCalendar: Sendable {
    /// The number of the period of a dimension that a quarter of an hour falls into; quarters are counted from
    /// 1970-01-01 UTC, and later periods have greater numbers.
    package let period: @Sendable (_ dimension: ReportDimension, _ quarter: Int64) -> Int64
    /// The text of a period.
    package let label: @Sendable (_ dimension: ReportDimension, _ period: Int64) -> String

    /// Makes a calendar.
    package init(
        period: @escaping @Sendable (_ dimension: ReportDimension, _ quarter: Int64) -> Int64,
        label: @escaping @Sendable (_ dimension: ReportDimension, _ period: Int64) -> String
    ) {
        self.period = period
        self.label = label
    }

    /// The numbers of the quarters themselves.
    package static let unix = LedgerCalendar { _, quarter in
        quarter
    } label: { _, period in
        String(period)
    }
}

/// How much an answer may cost.
package struct LedgerLimits: Hashable, Sendable {
    /// The most cells: combinations of the values asked for with everything that decides what a postback counts as.
    package var cells: Int
    /// How long counting may take; nil for as long as it takes.
    package var deadline: Duration?
    /// Whether counting gives way to everything else that wants the processor, as it must beside recording.
    package var isBackground: Bool

    /// Makes limits.
    package init(cells: Int = 1_000_000, deadline: Duration? = nil, isBackground: Bool = false) {
        self.cells = cells
        self.deadline = deadline
        self.isBackground = isBackground
    }
}
