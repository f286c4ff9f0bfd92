import Attribution
import AttributionStore
import Foundation

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
