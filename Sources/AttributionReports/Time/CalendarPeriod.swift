package import Attribution
package import StrictJSON

/// A range of consecutive days.
package struct CalendarPeriod: Hashable, Sendable {
    package let first: CalendarDay
    package let last: CalendarDay

    /// Parses a name such as `today`, `7d`, a week such as `2026-W46`, a month such as `2026-10`, or a day.
    package init(_ text: String, field: String, today: CalendarDay) throws(FieldProblem) {
        if let period = Self.named(text, today) {
            self = period
        } else if let count = try Self.count(text, field) {
            self.init(first: today.advanced(by: 1 - count), last: today)
        } else if let week = try CalendarWeek.reading(text, field: field) {
            self.init(first: week.first, last: week.last)
        } else if let parts = text.numbers(ofDigits: [4, 2]) {
            let month = CalendarMonth(year: parts[0], month: parts[1])
            try month.check(text, field)
            self.init(first: month.first, last: month.last)
        } else if text.numbers(ofDigits: [4, 2, 2]) != nil {
            let day = try CalendarDay.reading(text, field: field)
            self.init(first: day, last: day)
        } else {
            throw FieldProblem(
                field: field, found: text.shortened(to: 40),
                expected: "a day such as 2026-11-09, a month such as 2026-11, a week such as 2026-W46, or "
                    + (Self.names + ["7d"]).joined(separator: ", ") + Self.names.suggestion(for: text))
        }
    }

    package init(first: CalendarDay, last: CalendarDay) {
        self.first = first
        self.last = last
    }

    package var count: Int64 {
        last.number - first.number + 1
    }

    func contains(_ day: CalendarDay) -> Bool {
        first <= day && day <= last
    }

    /// The names of periods relative to today.
    package static let names = [
        "today", "yesterday", "this-week", "last-week", "this-month", "last-month",
    ]

    private static func named(_ name: String, _ today: CalendarDay) -> CalendarPeriod? {
        let (week, month) = (CalendarWeek(today), CalendarMonth(today))
        switch name {
        case "today": return CalendarPeriod(first: today, last: today)
        case "yesterday": return CalendarPeriod(first: today.advanced(by: -1), last: today.advanced(by: -1))
        case "this-week": return CalendarPeriod(first: week.first, last: week.last)
        case "last-week": return CalendarPeriod(first: week.previous.first, last: week.previous.last)
        case "this-month": return CalendarPeriod(first: month.first, last: month.last)
        case "last-month": return CalendarPeriod(first: month.previous.first, last: month.previous.last)
        default: return nil
        }
    }

    /// Parses `7d`; nil for a text in another form.
    private static func count(_ text: String, _ field: String) throws(FieldProblem) -> Int64? {
        let digits = text.dropLast()
        guard text.last == "d", !digits.isEmpty,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            return nil
        }
        guard let count = Int64(digits), (1...36_500).contains(count) else {
            throw FieldProblem(
                field: field, found: text.shortened(to: 40), expected: "1d to 36500d, the last days including today")
        }
        return count
    }
}

/// An ISO 8601 week, Monday to Sunday; the first week of a year is the one with its first Thursday.
struct CalendarWeek: Hashable {
    /// The number of weeks since that of 1970-01-01.
    let number: Int64
}

extension CalendarWeek {
    /// The week that contains a day.
    init(_ day: CalendarDay) {
        // 1970-01-01 was a Thursday, the fourth day of its week.
        number = (day.number + 3).dividedRoundingDown(by: 7)
    }

    /// A week of an ISO year.
    init(year: Int64, week: Int64) {
        let fourth = CalendarDay(number: CivilDate.days(year: year, month: 1, day: 4))
        number = CalendarWeek(fourth).number + week - 1
    }

    var first: CalendarDay {
        CalendarDay(number: number * 7 - 3)
    }

    var last: CalendarDay {
        first.advanced(by: 6)
    }

    var previous: CalendarWeek {
        CalendarWeek(number: number - 1)
    }

    /// The ISO year, which is that of its Thursday, and the number of the week in that year.
    var parts: (year: Int64, week: Int64) {
        let year = CivilDate.date(first.number + 3).year
        return (year, number - CalendarWeek(year: year, week: 1).number + 1)
    }

    /// `YYYY-Www`.
    var description: String {
        "\(parts.year.padded(to: 4))-W\(parts.week.padded(to: 2))"
    }

    /// Parses `YYYY-Www`; nil for a text in another form.
    static func reading(_ text: String, field: String) throws(FieldProblem) -> CalendarWeek? {
        guard let mark = text.firstIndex(of: "W"), text[..<mark].hasSuffix("-"),
            let parts = (text[..<mark] + text[text.index(after: mark)...]).description.numbers(ofDigits: [4, 2])
        else {
            return nil
        }
        guard parts[0] >= 1970 else {
            throw FieldProblem(field: field, found: text, expected: "a year from 1970 on")
        }
        let count = CalendarWeek(year: parts[0] + 1, week: 1).number - CalendarWeek(year: parts[0], week: 1).number
        guard (1...count).contains(parts[1]) else {
            throw FieldProblem(
                field: field, found: text, expected: "a week of the calendar: \(parts[0]) has \(count) weeks")
        }
        return CalendarWeek(year: parts[0], week: parts[1])
    }
}
