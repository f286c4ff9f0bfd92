public import Attribution
import Foundation

extension ReportRequest {
    /// Reads a request from the texts of a command line or a URL.
    ///
    /// - Parameters:
    ///   - by: Names of dimensions apart by commas; `campaign` and `source` stand for both of theirs, an empty text for
    ///     totals alone.
    ///   - filters: `DIMENSION=VALUE`; an empty value asks for postbacks that carry none.
    ///   - from: The first day, `YYYY-MM-DD`.
    ///   - to: The last day, included.
    ///   - timeZone: `UTC` or a name of the tz database.
    ///   - provenance: `apple`, `foreign`, `development` or `test`: which numbers are reported.
    /// - Throws: ``Attribution/FieldProblem`` naming the parameter, what was found and what was expected.
    public init(
        by: String,
        filters: [String],
        from: String?,
        to: String?,
        timeZone: String,
        provenance: String
    ) throws(FieldProblem) {
        guard let zone = timeZone == "UTC" ? .gmt : TimeZone(identifier: timeZone) else {
            throw FieldProblem(
                field: "time-zone", found: timeZone.shortened(to: 40),
                expected: "UTC or a name of the tz database, for example Europe/Berlin")
        }
        guard let keys = Traffic(rawValue: provenance) else {
            throw FieldProblem(
                field: "provenance", found: provenance.shortened(to: 40),
                expected: "one of " + Traffic.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.init(dimensions: try Self.dimensions(by), timeZone: zone, traffic: keys)
        for text in filters {
            self.filters.append(try Self.filter(text))
        }
        if let from {
            self.from = try Self.day(from, "from")
        }
        if let to {
            through = try Self.day(to, "to")
        }
        if let first = self.from, let last = through, last < first {
            throw FieldProblem(field: "to", found: last.description, expected: "a day not before \(first)")
        }
    }

    private static func dimensions(_ text: String) throws(FieldProblem) -> [ReportDimension] {
        var result: [ReportDimension] = []
        for name in text.split(separator: ",") {
            let named: [ReportDimension] =
                switch name {
                case "campaign": [.campaignID, .sourceIdentifier]
                case "source": [.sourceApp, .sourceDomain]
                default: [try dimension(String(name), "by")]
                }
            result += named.filter { !result.contains($0) }
        }
        return result
    }

    private static func filter(_ text: String) throws(FieldProblem) -> TallyQuery.Filter {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw FieldProblem(
                field: "where", found: text.shortened(to: 40), expected: "DIMENSION=VALUE, for example app=525463029")
        }
        let dimension = try dimension(String(parts[0]), "where")
        guard dimension != .day else {
            throw FieldProblem(field: "where", found: "day", expected: "another dimension; from and to choose the days")
        }
        return TallyQuery.Filter(dimension: dimension, value: String(parts[1]))
    }

    private static func dimension(_ name: String, _ field: String) throws(FieldProblem) -> ReportDimension {
        guard let dimension = ReportDimension(rawValue: name) else {
            let known = ReportDimension.allCases.map(\.rawValue).joined(separator: ", ")
            throw FieldProblem(
                field: field, found: name.shortened(to: 40), expected: "one of \(known), or campaign or source")
        }
        return dimension
    }

    private static func day(_ text: String, _ field: String) throws(FieldProblem) -> CalendarDay {
        guard let day = CalendarDay(text) else {
            throw FieldProblem(field: field, found: text.shortened(to: 40), expected: "a day as YYYY-MM-DD")
        }
        return day
    }
}
