package import Attribution
package import AttributionStore

/// The answers to the questions of a plan, all of one position.
package struct StandardReportFigures: Sendable {
    /// The counts of one combination of values in the period and in the one before.
    package struct Row: Sendable {
        /// The values, in the order of the breakdown's dimensions; empty for postbacks without a value.
        package let values: [String]
        /// The counts of the period.
        package let current: Counts
        /// The counts of the previous period; nil if figures are not compared.
        package let previous: Counts?

        /// Creates a row.
        package init(values: [String], current: Counts, previous: Counts?) {
            self.values = values
            self.current = current
            self.previous = previous
        }
    }

    /// The request.
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

    /// Creates figures.
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
