import Attribution
import AttributionStore

extension LedgerCalendar {
    /// The dimension whose values are ``previousPeriod`` and ``currentPeriod`` in questions about two periods.
    static let periodDimension = ReportDimension.month
    /// The label of the previous period.
    static let previousPeriod = "previous"
    /// The label of the period.
    static let currentPeriod = "current"

    /// The dimension whose values are the numbers of segments.
    static let segmentDimension = ReportDimension.hour

    /// A calendar with two periods, so that one pass counts both, and with segments between cuts.
    ///
    /// - Parameters:
    ///   - start: When the second period begins, in Unix milliseconds.
    ///   - cuts: When segments other than the first begin, ascending.
    /// - Returns: The calendar.
    static func periods(from start: Int64, cuts: [Int64]) -> LedgerCalendar {
        let first = start.quarterOfAnHour
        let segments = cuts.map(\.quarterOfAnHour)
        return LedgerCalendar { dimension, quarter in
            guard dimension == segmentDimension else {
                return quarter < first ? 0 : 1
            }
            return Int64(segments.count { $0 <= quarter })
        } label: { dimension, period in
            guard dimension == segmentDimension else {
                return period == 0 ? previousPeriod : currentPeriod
            }
            return String(period)
        }
    }
}
