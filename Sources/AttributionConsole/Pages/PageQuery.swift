import AttributionListener
import AttributionPages
import AttributionReports
import StrictJSON

/// The query of a page, under the API's names; fields left empty in a form are treated as absent.
struct PageQuery {
    let fields: FormFields

    /// The parameters of a page that counts.
    static let selection = ["provenance", "time-zone", "period", "from", "to", "where"]
    /// The parameters of a table as a file.
    static let file = ["format", "section"]

    /// Reads the query.
    ///
    /// - Throws: ``StrictJSON/FieldProblem`` for a parameter that the page does not have, and for a second value.
    init(_ request: IngressRequest, known: [String]) throws(FieldProblem) {
        fields = FormFields(request.query)
        try fields.check(known: known + Self.file, repeatable: ["where"])
        if let format = fields["format"], format != "csv" {
            throw FieldProblem(field: "format", found: format.shortened(to: 20), expected: "csv, or none for the page")
        }
        if let section = fields["section"], fields["format"] == nil {
            throw FieldProblem(
                field: "section", found: "\(section.shortened(to: 40)) without format", expected: "format=csv with it")
        }
    }

    /// Whether a table is wanted as a file.
    var isFile: Bool {
        fields["format"] != nil
    }

    /// A link with what this query says about a file.
    func keepingFile(_ link: PageLink) -> PageLink {
        Self.file.reduce(link) { link, name in fields[name].map { link.adding(name, $0) } ?? link }
    }

    /// The days, traffic and conditions.
    var selection: PageSelection {
        PageSelection(
            provenance: fields["provenance"], timeZone: fields["time-zone"], period: fields["period"],
            from: fields["from"], to: fields["to"], filters: fields.values("where"))
    }

    /// The parameters of the store's queries.
    func parameters(_ known: [String]) throws(FieldProblem) -> RequestParameters {
        try RequestParameters(fields.fields.filter { !Self.file.contains($0.name) }, known: known)
    }
}

extension PageSelection {
    /// The parameters of a report.
    var reportParameters: ReportParameters {
        var texts = ReportParameters()
        texts.filters = filters
        texts.period = effectivePeriod
        texts.from = from
        texts.to = to
        texts.timeZone = timeZone ?? texts.timeZone
        texts.provenance = provenance ?? texts.provenance
        return texts
    }
}
