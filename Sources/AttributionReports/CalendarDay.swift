public import Foundation

/// A day of the Gregorian calendar, without a time zone.
public struct CalendarDay: Hashable, Sendable, Comparable {
    /// The year, 1970…9999.
    public let year: Int
    /// The month, 1…12.
    public let month: Int
    /// The day of the month, 1…31.
    public let day: Int

    /// Reads `YYYY-MM-DD`; nil for another text and for a day that is not in the calendar.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), year >= 1970
        else {
            return nil
        }
        self.init(year: year, month: month, day: day)
        guard CalendarDay(containing: start(in: .gmt), in: .gmt) == self else {
            return nil
        }
    }

    private init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day a moment, in Unix milliseconds, falls on in a time zone.
    public init(containing milliseconds: Int64, in timeZone: TimeZone) {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        let parts = Self.calendar(timeZone).dateComponents([.year, .month, .day], from: date)
        self.init(year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1)
    }

    /// Its first moment in a time zone, in Unix milliseconds; not always midnight where clocks change at night.
    public func start(in timeZone: TimeZone) -> Int64 {
        let calendar = Self.calendar(timeZone)
        let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12))
        let start = noon.map { calendar.startOfDay(for: $0) } ?? Date(timeIntervalSince1970: 0)
        return Int64((start.timeIntervalSince1970 * 1000).rounded())
    }

    /// The day after.
    public var next: CalendarDay {
        // 36 hours after the first moment of a UTC day is noon of the next.
        CalendarDay(containing: start(in: .gmt) + 36 * 3_600_000, in: .gmt)
    }

    /// Orders days by time.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.year, lhs.month, lhs.day) < (rhs.year, rhs.month, rhs.day)
    }

    private static func calendar(_ timeZone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }
}

extension CalendarDay: CustomStringConvertible {
    /// The day as `YYYY-MM-DD`.
    public var description: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}
