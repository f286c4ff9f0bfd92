package import StrictJSON

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
    package var number: Int64 {
        year * 12 + month - 1
    }

    /// The month before.
    package var previous: CalendarMonth {
        CalendarMonth(number: number - 1)
    }

    package var first: CalendarDay {
        CalendarDay(number: CivilDate.days(year: year, month: month, day: 1))
    }

    package var last: CalendarDay {
        CalendarMonth(number: number + 1).first.advanced(by: -1)
    }

    /// Its number of days.
    package var length: Int64 {
        last.number - first.number + 1
    }

    /// `YYYY-MM`.
    package var description: String {
        "\(year.padded(to: 4))-\(month.padded(to: 2))"
    }

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
