package import Attribution

/// Which recorded postbacks to count, and which dimensions to break the counts down by.
package struct LedgerQuestion: Sendable {
    /// A condition on the values of one dimension.
    package struct Condition: Hashable, Sendable {
        /// The dimension; not one of time, which ``LedgerQuestion/received`` is for.
        package let dimension: ReportDimension
        /// The values, of which any matches; the empty text matches postbacks without a value.
        package let values: Set<String>
        /// Whether postbacks with these values are excluded rather than selected.
        package let isExcluded: Bool

        package init(dimension: ReportDimension, values: Set<String>, isExcluded: Bool = false) {
            self.dimension = dimension
            self.values = values
            self.isExcluded = isExcluded
        }
    }

    /// The dimensions of the rows, in order, without duplicates; empty for totals only.
    package var dimensions: [ReportDimension]
    /// The conditions, all of which must hold.
    package var conditions: [Condition]
    /// The time of receipt in Unix milliseconds, extended to whole quarter hours; nil for all.
    package var received: Range<Int64>?
    /// Which traffic to count.
    package var traffic: Traffic
    /// The calendar of the time dimensions.
    package var calendar: LedgerCalendar
    /// The position up to which to count; nil for everything.
    package var asOf: LedgerPosition?
    /// The limits on the cost of the answer.
    package var limits: LedgerLimits

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

/// Maps quarter hours to the periods of time dimensions; in every time zone in use, days begin on a quarter hour.
package struct LedgerCalendar: Sendable {
    /// The number of the period that a quarter hour falls into; quarter hours are counted from 1970-01-01 UTC, and
    /// later periods have greater numbers.
    package let period: @Sendable (_ dimension: ReportDimension, _ quarter: Int64) -> Int64
    /// The text of a period.
    package let label: @Sendable (_ dimension: ReportDimension, _ period: Int64) -> String

    package init(
        period: @escaping @Sendable (_ dimension: ReportDimension, _ quarter: Int64) -> Int64,
        label: @escaping @Sendable (_ dimension: ReportDimension, _ period: Int64) -> String
    ) {
        self.period = period
        self.label = label
    }

    /// A calendar in which every quarter hour is a period.
    package static let unix = LedgerCalendar { _, quarter in
        quarter
    } label: { _, period in
        String(period)
    }
}

/// Limits on the cost of an answer.
package struct LedgerLimits: Hashable, Sendable {
    /// The most cells: combinations of the dimensions' values with everything that decides what a postback counts as.
    package var cells: Int
    /// How long counting may take; nil for no limit.
    package var deadline: Duration?
    /// Whether counting has a lower priority, as it must in a process that records.
    package var isBackground: Bool

    package init(cells: Int = 1_000_000, deadline: Duration? = nil, isBackground: Bool = false) {
        self.cells = cells
        self.deadline = deadline
        self.isBackground = isBackground
    }
}

/// Ends an answer that takes too long, or that nobody waits for any more.
package struct AnswerCheck {
    private let deadline: Duration?
    private let start: ContinuousClock.Instant
    private let checkCancellation: () throws -> Void

    /// Watches over an answer.
    package init(
        _ limits: LedgerLimits,
        since start: ContinuousClock.Instant,
        _ checkCancellation: @escaping () throws -> Void
    ) {
        deadline = limits.deadline
        self.start = start
        self.checkCancellation = checkCancellation
    }

    /// Returns while the answer is wanted.
    ///
    /// - Throws: ``LedgerQuestionError/deadlinePassed(_:)``, and `CancellationError`.
    package func callAsFunction() throws {
        try checkCancellation()
        _ = try remaining()
    }

    /// How much time there is; nil for no limit.
    ///
    /// - Throws: ``LedgerQuestionError/deadlinePassed(_:)`` if there is none left.
    package func remaining() throws(LedgerQuestionError) -> Duration? {
        guard let deadline else {
            return nil
        }
        let remaining = deadline - (ContinuousClock.now - start)
        guard remaining > .zero else {
            throw .deadlinePassed(deadline)
        }
        return remaining
    }
}
