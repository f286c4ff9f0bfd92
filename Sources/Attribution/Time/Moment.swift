package import FoundationEssentials
package import StrictJSON

/// A time in UTC, written as a time or as a day, which stands for its beginning.
package struct Moment: Sendable {
    /// Unix milliseconds.
    package let milliseconds: Int64

    /// The only valid length of a time, which excludes years beyond 9999.
    private static let length = "2026-11-01T12:30:00Z".utf8.count

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Parses `2026-11-01` or `2026-11-01T12:30:00Z`.
    package init(_ text: String, field: String) throws(FieldProblem) {
        if let day = CalendarDay(text) {
            milliseconds = day.start(in: .gmt)
        } else if text.utf8.count == Self.length, let date = try? Date(text, strategy: .iso8601),
            date.timeIntervalSince1970 >= 0
        {
            milliseconds = Int64(date.timeIntervalSince1970) * 1000
        } else {
            throw FieldProblem(
                field: field, found: text.shortened(to: 40),
                expected: "a day such as 2026-11-01, or a time in UTC such as 2026-11-01T12:30:00Z")
        }
    }

    /// The moment rounded down to the second, as `2026-11-01T12:30:00Z`.
    package var text: String {
        Date(timeIntervalSince1970: Double(milliseconds.dividedRoundingDown(by: 1000))).formatted(.iso8601)
    }

    /// The moment to the millisecond, as `2026-11-01T12:30:00.125Z`.
    package var preciseText: String {
        let rest = (milliseconds % 1000 + 1000) % 1000
        return text.dropLast() + "." + rest.padded(to: 3) + "Z"
    }
}

/// A time in milliseconds since 1970-01-01 00:00 UTC without leap seconds, as Apple signs and sends it.
package struct UnixMilliseconds: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The time of a date, rounded toward 1970.
    package init(_ date: Date) {
        rawValue = Int64(date.timeIntervalSince1970 * 1000)
    }

    /// Orders times.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// The time some milliseconds later; earlier for a negative number.
    package func advanced(by milliseconds: Int64) -> UnixMilliseconds {
        UnixMilliseconds(rawValue: rawValue + milliseconds)
    }
}
