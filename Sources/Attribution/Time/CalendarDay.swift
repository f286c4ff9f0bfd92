package import FoundationEssentials

/// A day of the Gregorian calendar, without a time zone.
package struct CalendarDay: Hashable, Sendable, Comparable {
    /// The days from 1970-01-01 to it; negative before.
    package let number: Int64

    package init(number: Int64) {
        self.number = number
    }

    /// Reads `YYYY-MM-DD` from 1970 on; nil for any other text and for a day that does not exist.
    package init?(_ text: String) {
        guard let day = try? Self.reading(text, field: "") else {
            return nil
        }
        self = day
    }

    /// The day a moment, in Unix milliseconds, falls on in a time zone.
    package init(containing milliseconds: Int64, in timeZone: TimeZone) {
        self.init(containingSecond: milliseconds.dividedRoundingDown(by: 1000), in: timeZone)
    }

    /// The day a moment, in Unix seconds, falls on in a time zone.
    package init(containingSecond seconds: Int64, in timeZone: TimeZone) {
        number = (seconds + timeZone.offset(at: seconds)).dividedRoundingDown(by: 86_400)
    }

    /// Its first moment in a time zone, in Unix milliseconds; not midnight if clocks change then.
    package func start(in timeZone: TimeZone) -> Int64 {
        guard timeZone != .gmt else {
            return number * 86_400_000
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let (year, month, day) = CivilDate.date(number)
        let noon = calendar.date(from: DateComponents(year: Int(year), month: Int(month), day: Int(day), hour: 12))
        let start = noon.map { calendar.startOfDay(for: $0) } ?? Date(timeIntervalSince1970: Double(number) * 86_400)
        return Int64((start.timeIntervalSince1970 * 1000).rounded())
    }

    /// The day after.
    package var next: CalendarDay {
        advanced(by: 1)
    }

    /// The day some days later; earlier for a negative number.
    package func advanced(by days: Int64) -> CalendarDay {
        CalendarDay(number: number + days)
    }

    /// Orders days by time.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.number < rhs.number
    }
}

extension CalendarDay: CustomStringConvertible {
    /// The day as `YYYY-MM-DD`.
    package var description: String {
        let (year, month, day) = CivilDate.date(number)
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }
}

extension TimeZone {
    /// How many seconds its clocks were ahead of UTC at a moment, in Unix seconds.
    package func offset(at seconds: Int64) -> Int64 {
        self == .gmt ? 0 : Int64(secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}
