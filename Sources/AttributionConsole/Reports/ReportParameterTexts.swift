import AttributionListener
import AttributionReports
import StrictJSON

/// The parameters of a URL that asks for a report: all known, and none twice but `where`.
struct ReportParameterTexts {
    /// The parameters that choose what is counted.
    static let selecting = ["where", "period", "from", "to", "time-zone", "provenance", "top", "as-of"]

    private let values: [(name: String, value: String)]
    private let accept: [String]

    /// Reads the parameters of a URL.
    ///
    /// - Throws: ``Attribution/FieldProblem`` for what would be silently ignored: unknown names, and all but the first
    ///   of several values.
    init(_ request: IngressRequest, known: [String]) throws(FieldProblem) {
        values = request.queryParameters
        accept = request.fields.values("accept")
        let names = values.map(\.name)
        for (index, name) in names.enumerated() {
            guard known.contains(name) else {
                throw FieldProblem(
                    field: name.shortened(to: 40), found: "an unknown parameter",
                    expected: known.joined(separator: ", ") + known.suggestion(for: name))
            }
            guard name == "where" || !names[..<index].contains(name) else {
                throw FieldProblem(field: name, found: "more than one value", expected: "one")
            }
        }
    }

    /// The value of a parameter; nil if it is not given.
    func text(_ name: String) -> String? {
        values.first { $0.name == name }?.value
    }

    /// `true` or `false`; nil if it is not given.
    func flag(_ name: String) throws(FieldProblem) -> Bool? {
        guard let text = text(name) else {
            return nil
        }
        guard let flag = Bool(text) else {
            throw FieldProblem(field: name, found: text.shortened(to: 20), expected: "true or false")
        }
        return flag
    }

    /// The format that the query names, or else the one that `Accept` prefers.
    func format<Format: NegotiatedFormat>() throws(FieldProblem) -> Format {
        guard let name = text("format") else {
            return Format(accept: accept)
        }
        return try Format(named: name, in: "format", shownTo: 20)
    }

    /// What is counted; everything else has its default.
    var selection: ReportParameters {
        var texts = ReportParameters()
        texts.filters = values.filter { $0.name == "where" }.map(\.value)
        texts.period = text("period")
        texts.from = text("from")
        texts.to = text("to")
        texts.timeZone = text("time-zone") ?? texts.timeZone
        texts.provenance = text("provenance") ?? texts.provenance
        texts.top = text("top")
        texts.asOf = text("as-of")
        return texts
    }
}
