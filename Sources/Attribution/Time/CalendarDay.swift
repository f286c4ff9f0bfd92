package import FoundationEssentials
package import StrictJSON

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
    package var next: CalendarDay { advanced(by: 1) }

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

extension CalendarDay {
    /// Reads a day, with different errors for a wrong format and for a day that does not exist.
    package static func reading(_ text: String, field: String) throws(FieldProblem) -> CalendarDay {
        guard let parts = text.numbers(ofDigits: [4, 2, 2]) else {
            throw FieldProblem(field: field, found: text.shortened(to: 40), expected: "a day as YYYY-MM-DD")
        }
        let month = CalendarMonth(year: parts[0], month: parts[1])
        try month.check(text, field)
        guard (1...month.length).contains(parts[2]) else {
            throw FieldProblem(
                field: field, found: text, expected: "a day of the calendar: \(month) has \(month.length) days")
        }
        return month.first.advanced(by: parts[2] - 1)
    }
}

extension String {
    /// The numbers in a text of hyphen-separated groups of digits with the given lengths; nil for any other text.
    package func numbers(ofDigits counts: [Int]) -> [Int64]? {
        let parts = split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == counts,
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
        else {
            return nil
        }
        return parts.compactMap { Int64($0) }
    }
}

/// A month of the Gregorian calendar.
package struct CalendarMonth: Hashable, CustomStringConvertible {
    package let year: Int64
    /// 1…12.
    package let month: Int64

    package init(year: Int64, month: Int64) {
        self.year = year
        self.month = month
    }

    /// The month a day is in.
    package init(_ day: CalendarDay) {
        (year, month, _) = CivilDate.date(day.number)
    }

    /// The month with a ``number``.
    package init(number: Int64) {
        year = number.dividedRoundingDown(by: 12)
        month = number - year * 12 + 1
    }

    /// A number that increases by 1 each month.
    package var number: Int64 { year * 12 + month - 1 }

    /// The month before.
    package var previous: CalendarMonth { CalendarMonth(number: number - 1) }

    package var first: CalendarDay {
        CalendarDay(number: CivilDate.days(year: year, month: month, day: 1))
    }

    package var last: CalendarDay {
        CalendarMonth(number: number + 1).first.advanced(by: -1)
    }

    /// Its number of days.
    package var length: Int64 { last.number - first.number + 1 }

    /// `YYYY-MM`.
    package var description: String { "\(year.padded(to: 4))-\(month.padded(to: 2))" }

    /// Refuses a month that does not exist, and years before 1970.
    package func check(_ text: String, _ field: String) throws(FieldProblem) {
        guard (1...12).contains(month) else {
            throw FieldProblem(field: field, found: text, expected: "a month of the calendar, 01 to 12")
        }
        guard year >= 1970 else {
            throw FieldProblem(field: field, found: text, expected: "a year from 1970 on")
        }
    }
}

/// Integer arithmetic on the Gregorian calendar, for any year, without a time zone.
package enum CivilDate {
    /// The days from 1970-01-01 to a date; negative before it.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years begin in March here, so that the leap day is the last day of the year.
        let year = month <= 2 ? year - 1 : year
        let era = year.dividedRoundingDown(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date a number of days after 1970-01-01.
    package static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.dividedRoundingDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}

extension Int64 {
    /// The number in at least `width` digits.
    package func padded(to width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// The quotient rounded toward negative infinity; the divisor must be positive.
    package func dividedRoundingDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
