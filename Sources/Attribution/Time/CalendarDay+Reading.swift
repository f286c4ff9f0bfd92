package import StrictJSON

extension CalendarDay {
    /// Reads a day, with different errors for a wrong format and for a day that does not exist.
    ///
    /// - Parameters:
    ///   - text: `YYYY-MM-DD`, from 1970 on.
    ///   - field: The name of the field, for the message.
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
