import Attribution

/// A month of the Gregorian calendar.
struct CalendarMonth: Hashable, CustomStringConvertible {
    let year: Int64
    /// 1…12.
    let month: Int64

    init(year: Int64, month: Int64) {
        self.year = year
        self.month = month
    }

    /// The month a day is in.
    init(_ day: CalendarDay) {
        (year, month, _) = CivilDate.date(day.number)
    }

    /// The month with a number, as ``number`` gives it.
    init(number: Int64) {
        year = number.dividedRoundingDown(by: 12)
        month = number - year * 12 + 1
    }

    /// Its number; those of months in a row follow one another.
    var number: Int64 {
        year * 12 + month - 1
    }

    /// The month before.
    var previous: CalendarMonth {
        CalendarMonth(number: number - 1)
    }

    var first: CalendarDay {
        CalendarDay(number: CivilDate.days(year: year, month: month, day: 1))
    }

    var last: CalendarDay {
        CalendarMonth(number: number + 1).first.advanced(by: -1)
    }

    /// How many days it has.
    var length: Int64 {
        last.number - first.number + 1
    }

    /// `YYYY-MM`.
    var description: String {
        "\(year.padded(to: 4))-\(month.padded(to: 2))"
    }

    /// Refuses a month that is none, and years before 1970, when nothing can have been received.
    func check(_ text: String, _ field: String) throws(FieldProblem) {
        guard (1...12).contains(month) else {
            throw FieldProblem(field: field, found: text, expected: "a month of the calendar, 01 to 12")
        }
        guard year >= 1970 else {
            throw FieldProblem(field: field, found: text, expected: "a year from 1970 on")
        }
    }
}
