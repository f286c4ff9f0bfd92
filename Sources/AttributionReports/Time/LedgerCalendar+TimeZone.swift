import Attribution
package import AttributionStore
package import Foundation

extension LedgerCalendar {
    /// The hours, days, weeks and months of a time zone.
    ///
    /// Days are numbered from 1970-01-01, weeks are those of ISO 8601, and the number of an hour is its first quarter
    /// hour. When clocks go back, the repeated hour counts as two hours.
    package init(timeZone: TimeZone) {
        self.init { dimension, quarter in
            let day = CalendarDay(containingSecond: quarter * Self.quarter, in: timeZone)
            return switch dimension {
            case .hour: Self.firstQuarter(ofHourWith: quarter, in: timeZone)
            case .day: day.number
            case .week: CalendarWeek(day).number
            case .month: CalendarMonth(day).number
            default: quarter
            }
        } label: { dimension, period in
            switch dimension {
            case .hour: HourLabel(quarter: period, in: timeZone).text
            case .day: CalendarDay(number: period).description
            case .week: CalendarWeek(number: period).description
            case .month: CalendarMonth(number: period).description
            default: String(period)
            }
        }
    }

    /// A quarter hour in seconds.
    static let quarter = LedgerTime.quarterMilliseconds / 1000

    /// The first of the consecutive quarter hours that begin in the same hour with the same offset.
    private static func firstQuarter(ofHourWith quarter: Int64, in timeZone: TimeZone) -> Int64 {
        let offset = timeZone.offset(at: quarter * Self.quarter)
        func hour(_ quarter: Int64) -> Int64 {
            (quarter * Self.quarter + offset).dividedRoundingDown(by: 3_600)
        }
        var first = quarter
        while hour(first - 1) == hour(quarter), timeZone.offset(at: (first - 1) * Self.quarter) == offset {
            first -= 1
        }
        return first
    }
}
