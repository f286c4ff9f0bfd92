import Attribution
import AttributionListener
import AttributionReports
import StrictJSON

/// The query of a page, under the API's names; fields left empty in a form are treated as absent.
struct PageQuery {
    let fields: FormFields
    /// The traffic, as `provenance` or `test` names it; nil if neither does.
    private let provenance: String?

    /// The parameters of a page that counts.
    static let selection = ["provenance", "test", "time-zone", "period", "from", "to", "where", "roll-up"]
    /// The parameters of a table as a file.
    static let file = ["format", "section"]

    init(_ request: IngressRequest, known: [String]) throws(FieldProblem) {
        fields = FormFields(request.query)
        try fields.fields.check(known: known + Self.file, repeatable: ["where", "by"])
        provenance = try Traffic.named(provenance: fields["provenance"], test: fields[Traffic.testParameter])
        if let format = fields["format"], format != "csv" {
            throw FieldProblem(field: "format", found: format.shortened(to: 20), expected: "csv, or none for the page")
        }
        if let section = fields["section"], fields["format"] == nil {
            throw FieldProblem(
                field: "section", found: "\(section.shortened(to: 40)) without format", expected: "format=csv with it")
        }
        if let rollUp = fields["roll-up"], Bool(rollUp) == nil {
            throw FieldProblem(field: "roll-up", found: rollUp.shortened(to: 20), expected: "true or false")
        }
    }

    /// Whether a table is wanted as a file.
    var isFile: Bool {
        fields["format"] != nil
    }

    /// A link with what this query says about a file, and with some of its parameters.
    func keeping(_ names: [String], _ link: PageLink) -> PageLink {
        (Self.file + names).reduce(link) { link, name in fields[name].map { link.adding(name, $0) } ?? link }
    }

    /// How a table is sorted; nil for the order of its report.
    var order: TableOrder? {
        get throws(FieldProblem) {
            guard let text = fields["sort"] else {
                return nil
            }
            return try TableOrder(reading: text)
        }
    }

    /// The days, traffic and conditions.
    var selection: PageSelection {
        PageSelection(
            provenance: provenance, timeZone: fields["time-zone"], period: fields["period"],
            from: fields["from"], to: fields["to"], filters: fields.values("where"),
            isRolledUp: fields["roll-up"] != "false")
    }

    /// The parameters of the store's queries.
    func parameters(_ known: [String]) throws(FieldProblem) -> RequestParameters {
        try RequestParameters(fields.fields.filter { !Self.file.contains($0.name) }, known: known)
    }
}

extension PageSelection {
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

/// The fields of a form, from a query or a body of type `application/x-www-form-urlencoded`.
///
/// - SeeAlso: [URL Standard, parsing](https://url.spec.whatwg.org/#urlencoded-parsing)
package struct FormFields: Sendable {
    /// The fields in order, without empty ones: a form sends every field, filled in or not.
    ///
    /// A flag needs no value.
    package private(set) var fields: [(name: String, value: String)]

    /// Reads fields; bytes that are not UTF-8 become U+FFFD.
    package init(_ text: some StringProtocol) {
        fields = Substring(text).utf8.decodedPairs { Self.decoded($0) }
            .filter { !$0.value.isEmpty || $0.name == Traffic.testParameter }
    }

    /// The first value of a field.
    package subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The values of a field that may occur several times.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    package mutating func remove(_ name: String) {
        fields.removeAll { $0.name == name }
    }

    /// The text of a name or a value, in which a plus sign stands for a space.
    private static func decoded(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }.percentDecoded()
    }
}

/// A form that a page of this console sent, and no other site's.
///
/// Three things have to agree: where the browser says that the request comes from, a secret that only the page's own
/// forms have, and the cookie, which browsers do not send from other sites.
struct FormPost {
    /// The fields besides the secret.
    let fields: FormFields

    init(_ request: IngressRequest, formToken: String) throws(Refusal) {
        try Self.checkOrigin(of: request)
        var fields = FormFields(String(decoding: request.body, as: UTF8.self))
        guard Self.isEqual(fields[PageForm.tokenField] ?? "", formToken) else {
            throw Refusal(
                .badField,
                "\(PageForm.tokenField): found \(fields[PageForm.tokenField] == nil ? "nothing" : "another one"), "
                    + "expected the one of a page of this session",
                hint: "open the page again and send its form")
        }
        fields.remove(PageForm.tokenField)
        self.fields = fields
    }

    /// Refuses a request that a browser made for another site.
    ///
    /// Sec-Fetch-Site is believed first, because it stays true behind a proxy that changes Host; older browsers, and
    /// those that reach the console without TLS off loopback, send Origin alone.
    static func checkOrigin(of request: IngressRequest) throws(Refusal) {
        if let site = request.fields["sec-fetch-site"] {
            guard site == "same-origin" else {
                throw foreign("Sec-Fetch-Site", site, expected: "same-origin")
            }
        } else if let origin = request.fields["origin"] {
            let host = request.fields["host"] ?? ""
            guard !host.isEmpty, origin == "http://" + host || origin == "https://" + host else {
                throw foreign("Origin", origin, expected: "this console's own, of \(host.shortened(to: 60))")
            }
        }
    }

    private static func foreign(_ field: String, _ value: String, expected: String) -> Refusal {
        Refusal(
            .foreignHost, "\(field): found \(value.shortened(to: 60)), expected \(expected)",
            hint: "send the form from a page of this console")
    }

    /// Compares two secrets in a time that does not depend on where they differ.
    static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else {
            return false
        }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
