package import StrictJSON

extension CalendarDay {
    /// Reads a day, and tells a text of another shape from a day that is not in the calendar.
    ///
    /// - Parameters:
    ///   - text: `YYYY-MM-DD`, from 1970 on.
    ///   - field: What it is the value of, for the message.
    /// - Returns: The day.
    /// - Throws: ``StrictJSON/FieldProblem`` for any other text.
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
    /// The numbers of a text of digits joined by hyphens, each of as many digits as given; nil for another text.
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
