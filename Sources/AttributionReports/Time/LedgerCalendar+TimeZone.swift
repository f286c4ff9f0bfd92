import Attribution
package import AttributionStore
package import Foundation

extension LedgerCalendar {
    /// The hours, days, weeks and months of a time zone.
    ///
    /// Days are numbered from 1970-01-01, weeks as ISO 8601 counts them, and an hour is known by its first quarter: the
    /// hour that occurs twice when clocks are put back is two, one after the other.
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

    /// The seconds of a quarter of an hour.
    static let quarter = LedgerTime.quarterMilliseconds / 1000

    /// The first of the quarters in a row that begin in the same hour under the same offset.
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
