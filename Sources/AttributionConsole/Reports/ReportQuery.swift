import Attribution
import AttributionReports
import AttributionStore
import Hummingbird
import StrictJSON

/// A report request from a URL, with `Accept` for its format.
struct ReportQuery {
    let request: ReportRequest
    let format: ReportFormat

    /// The networks that are counted; empty for all.
    var networks: [String] {
        request.conditions.filter { $0.dimension == .network && !$0.isExcluded }.flatMap(\.values)
    }

    /// The parameters of the route.
    static let parameters = [
        "by", "where", "period", "from", "to", "time-zone", "provenance", "columns", "sort", "top", "as-of",
        "histogram", "format",
    ]

    /// Reads a request.
    ///
    /// - Throws: ``Attribution/FieldProblem`` naming the parameter.
    init(_ request: Request, nowMilliseconds: Int64) throws(FieldProblem) {
        let parameters = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        try Self.check(parameters.map(\.name))
        func text(_ name: String) -> String? {
            parameters.first { $0.name == name }?.value
        }
        format = try text("format").map(Self.format) ?? ReportFormat(accept: request.headers[values: .accept])
        var texts = ReportParameters()
        texts.by = text("by") ?? texts.by
        texts.filters = parameters.filter { $0.name == "where" }.map(\.value)
        texts.period = text("period")
        texts.from = text("from")
        texts.to = text("to")
        texts.timeZone = text("time-zone") ?? texts.timeZone
        texts.provenance = text("provenance") ?? texts.provenance
        texts.columns = text("columns")
        texts.sort = text("sort")
        texts.top = text("top")
        texts.asOf = text("as-of")
        texts.showsHistogram = try text("histogram").map(Self.flag) ?? false
        texts.format = format
        self.request = try ReportRequest(texts, nowMilliseconds: nowMilliseconds)
    }

    /// Refuses what would be silently ignored: unknown names, and all but the first of several values.
    private static func check(_ names: [String]) throws(FieldProblem) {
        for (index, name) in names.enumerated() {
            guard parameters.contains(name) else {
                throw FieldProblem(
                    field: name.shortened(to: 40), found: "an unknown parameter",
                    expected: parameters.joined(separator: ", ") + parameters.suggestion(for: name))
            }
            guard name == "where" || !names[..<index].contains(name) else {
                throw FieldProblem(field: name, found: "more than one value", expected: "one")
            }
        }
    }

    private static func format(_ name: String) throws(FieldProblem) -> ReportFormat {
        guard let format = ReportFormat(rawValue: name) else {
            let known = ReportFormat.allCases.map(\.rawValue)
            throw FieldProblem(
                field: "format", found: name.shortened(to: 20),
                expected: "one of " + known.joined(separator: ", ") + known.suggestion(for: name))
        }
        return format
    }

    private static func flag(_ text: String) throws(FieldProblem) -> Bool {
        guard let flag = Bool(text) else {
            throw FieldProblem(field: "histogram", found: text.shortened(to: 20), expected: "true or false")
        }
        return flag
    }
}
