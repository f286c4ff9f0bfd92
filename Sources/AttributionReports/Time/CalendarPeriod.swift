package import Attribution
package import StrictJSON

/// A range of consecutive days.
package struct CalendarPeriod: Hashable, Sendable {
    /// The first day.
    package let first: CalendarDay
    /// The last day, included.
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

    /// How many days it has.
    package var count: Int64 {
        last.number - first.number + 1
    }

    /// Whether it has a day.
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
