import Attribution
import StrictJSON

/// An ISO 8601 week, Monday to Sunday; the first week of a year is the one with its first Thursday.
struct CalendarWeek: Hashable, CustomStringConvertible {
    /// The number of weeks since that of 1970-01-01.
    let number: Int64

    init(number: Int64) {
        self.number = number
    }

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

    /// The Monday.
    var first: CalendarDay {
        CalendarDay(number: number * 7 - 3)
    }

    /// The Sunday.
    var last: CalendarDay {
        first.advanced(by: 6)
    }

    /// The week before.
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
