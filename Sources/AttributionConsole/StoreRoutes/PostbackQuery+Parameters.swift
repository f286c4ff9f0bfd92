package import Attribution
import AttributionReports
package import AttributionStore
import FoundationEssentials
package import StrictJSON

extension PostbackQuery {
    /// Reads the query of a listing.
    init(listing parameters: RequestParameters) throws(FieldProblem) {
        self.init(
            transactionID: try parameters.text("transaction-id"),
            received: try Self.received(from: try parameters.day("from"), through: try parameters.day("to")),
            after: try parameters.integer("after", 0...Int64.max) ?? 0,
            limit: Int(try parameters.integer("limit", 1...QuarantineQuery.answerLimit) ?? 100)
        )
    }

    /// The time range of some days (UTC).
    ///
    /// - Parameters:
    ///   - first: The first day; nil for the earliest.
    ///   - last: The last day, included; nil for the latest.
    /// - Returns: The range; nil without days.
    /// - Throws: ``Attribution/FieldProblem`` when the last is before the first.
    package static func received(
        from first: CalendarDay?,
        through last: CalendarDay?
    ) throws(FieldProblem) -> Range<Int64>? {
        guard first != nil || last != nil else {
            return nil
        }
        if let first, let last, last < first {
            throw FieldProblem(field: "to", found: last.description, expected: "a day not before \(first)")
        }
        let start = first?.start(in: .gmt) ?? 0
        // 2100-01-01, as in reports.
        return start..<max(start, last?.next.start(in: .gmt) ?? 4_102_444_800_000)
    }
}
