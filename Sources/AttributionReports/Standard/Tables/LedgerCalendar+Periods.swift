import Attribution
import AttributionStore

extension LedgerCalendar {
    /// The dimension whose values are ``previousPeriod`` and ``currentPeriod`` in questions about two periods.
    static let periodDimension = ReportDimension.month
    /// The label of the previous period.
    static let previousPeriod = "previous"
    /// The label of the period.
    static let currentPeriod = "current"

    /// A calendar with two periods, so that one pass counts both.
    ///
    /// - Parameter start: When the second one begins, in Unix milliseconds.
    /// - Returns: The calendar.
    static func periods(from start: Int64) -> LedgerCalendar {
        let first = start.quarterOfAnHour
        return LedgerCalendar { _, quarter in
            quarter < first ? 0 : 1
        } label: { _, period in
            period == 0 ? previousPeriod : currentPeriod
        }
    }
}
