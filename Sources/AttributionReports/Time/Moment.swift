import Attribution
import Foundation
package import StrictJSON

/// A moment as a person writes it: a day of UTC for its beginning, or a time of UTC.
package struct Moment: Sendable {
    /// Unix milliseconds.
    package let milliseconds: Int64

    /// Of a time as it is written here: years beyond 9999 would not fit.
    private static let length = "2026-11-01T12:30:00Z".utf8.count

    /// Takes a moment.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Reads `2026-11-01` or `2026-11-01T12:30:00Z`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - field: What it is the value of, for messages.
    /// - Throws: ``Attribution/FieldProblem`` for another text.
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
                expected: "a day as 2026-11-01, or a time of UTC as 2026-11-01T12:30:00Z")
        }
    }

    /// The second it lies in, as `2026-11-01T12:30:00Z`.
    package var text: String {
        Date(timeIntervalSince1970: Double(milliseconds.dividedRoundingDown(by: 1000))).formatted(.iso8601)
    }

    /// The moment to the millisecond, as `2026-11-01T12:30:00.125Z`.
    package var preciseText: String {
        let rest = (milliseconds % 1000 + 1000) % 1000
        return text.dropLast() + "." + rest.padded(to: 3) + "Z"
    }
}
