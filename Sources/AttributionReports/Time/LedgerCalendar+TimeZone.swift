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

/// The label of an hour: `2026-11-21T13:00Z`, or with the offset of its time zone, `2026-10-25T02:00+02:00`.
struct HourLabel {
    let text: String

    /// The label of the hour in which a quarter hour begins.
    init(quarter: Int64, in timeZone: TimeZone) {
        let seconds = quarter * LedgerCalendar.quarter
        let offset = timeZone.offset(at: seconds)
        let hour = (seconds + offset).dividedRoundingDown(by: 3_600)
        let day = CalendarDay(number: hour.dividedRoundingDown(by: 24))
        text = "\(day)T\((hour - day.number * 24).padded(to: 2)):00" + (timeZone == .gmt ? "Z" : Self.text(of: offset))
    }

    private static func text(of offset: Int64) -> String {
        let (sign, size) = (offset < 0 ? "-" : "+", abs(offset))
        let seconds = size % 60 == 0 ? "" : ":" + (size % 60).padded(to: 2)
        return "\(sign)\((size / 3_600).padded(to: 2)):\((size / 60 % 60).padded(to: 2))\(seconds)"
    }

    /// The start of a label's hour, in Unix seconds; nil for any other text.
    static func start(of text: String) -> Int64? {
        let parts = text.split(separator: "T")
        guard parts.count == 2, let day = CalendarDay(String(parts[0])), let hour = Int64(parts[1].prefix(2)) else {
            return nil
        }
        let zone = parts[1].dropFirst(5)
        let numbers = zone.dropFirst().split(separator: ":").compactMap { Int64($0) }
        let offset = zip(numbers, [3_600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
        return day.number * 86_400 + hour * 3_600 - (zone.first == "-" ? -offset : offset)
    }
}
