import Attribution
import AttributionListener
import AttributionReports
import AttributionStore
import StrictJSON

/// The parameters of a URL that asks for a report: all known, and none twice but `where`.
struct ReportParameterTexts {
    /// The parameters that choose what is counted.
    static let selecting = [
        "where", "period", "from", "to", "time-zone", "provenance", Traffic.testParameter, "top", "as-of",
    ]

    private let values: [(name: String, value: String)]
    private let accept: [String]

    /// Reads the parameters of a URL.
    init(_ request: IngressRequest, known: [String]) throws(FieldProblem) {
        values = request.queryParameters
        accept = request.fields.values("accept")
        try values.check(known: known, repeatable: ["where"])
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
    func format(among formats: [ReportFormat]) throws(FieldProblem) -> ReportFormat {
        guard let name = text("format") else {
            return ReportFormat(accept: accept, among: formats)
        }
        guard let format = formats.first(where: { $0.rawValue == name }) else {
            let known = formats.map(\.rawValue)
            throw FieldProblem(
                field: "format", found: name.shortened(to: 20),
                expected: "one of " + known.joined(separator: ", ") + known.suggestion(for: name))
        }
        return format
    }

    /// What is counted; everything else has its default.
    func selection() throws(FieldProblem) -> ReportParameters {
        var texts = ReportParameters()
        texts.filters = values.filter { $0.name == "where" }.map(\.value)
        texts.period = text("period")
        texts.from = text("from")
        texts.to = text("to")
        texts.timeZone = text("time-zone") ?? texts.timeZone
        texts.provenance =
            try Traffic.named(provenance: text("provenance"), test: text(Traffic.testParameter)) ?? texts.provenance
        texts.top = text("top")
        texts.asOf = text("as-of")
        return texts
    }
}

/// A report request from a URL, with `Accept` for its format.
struct ReportQuery {
    let request: ReportRequest
    let format: ReportFormat

    static let parameters = ["by"] + ReportParameterTexts.selecting + ["columns", "sort", "histogram", "format"]

    init(_ request: IngressRequest, nowMilliseconds: Int64) throws(FieldProblem) {
        let given = try ReportParameterTexts(request, known: Self.parameters)
        format = try given.format(among: ReportFormat.ofFreeReports)
        var texts = try given.selection()
        texts.by = given.text("by") ?? texts.by
        texts.columns = given.text("columns")
        texts.sort = given.text("sort")
        texts.showsHistogram = try given.flag("histogram") ?? false
        texts.format = format
        self.request = try ReportRequest(texts, nowMilliseconds: nowMilliseconds)
    }
}

/// A request for a standard report from a URL, with `Accept` for its format.
struct StandardReportQuery {
    let request: StandardReportRequest
    let format: ReportFormat

    static let parameters =
        ReportParameterTexts.selecting + ["section", "by", "columns", "sort"]
        + ["compare", "roll-up", "explain", "format"]

    init(_ request: IngressRequest, nowMilliseconds: Int64) throws(FieldProblem) {
        let given = try ReportParameterTexts(request, known: Self.parameters)
        format = try given.format(among: ReportFormat.allCases)
        var texts = StandardReportParameters()
        texts.name = request.name
        texts.selection = try given.selection()
        texts.selection.columns = given.text("columns")
        texts.selection.sort = given.text("sort")
        texts.by = given.text("by")
        texts.section = given.text("section")
        texts.isCompared = try given.flag("compare") ?? true
        texts.isRolledUp = try given.flag("roll-up") ?? true
        texts.isExplained = try given.flag("explain") ?? false
        texts.format = format
        self.request = try StandardReportRequest(texts, nowMilliseconds: nowMilliseconds)
    }
}

extension Traffic {
    /// The parameter that is `provenance=test` in one word, as the command line has it.
    static let testParameter = "test"

    /// The traffic that two parameters name; nil if neither does.
    ///
    /// A wrong name is refused by what reads it.
    static func named(provenance: String?, test: String?) throws(FieldProblem) -> String? {
        guard let test, test != "false" else {
            return provenance
        }
        guard test.isEmpty || test == "true" else {
            throw FieldProblem(field: testParameter, found: test.shortened(to: 20), expected: "true or false")
        }
        guard provenance == nil || provenance == Traffic.test.rawValue else {
            throw FieldProblem(
                field: testParameter, found: "it with provenance=\(provenance?.shortened(to: 20) ?? "")",
                expected: "one of the two")
        }
        return Traffic.test.rawValue
    }
}

extension ReportRequest {
    /// The networks that are counted; empty for all.
    var networks: [String] {
        conditions.filter { $0.dimension == .network && !$0.isExcluded }.flatMap(\.values)
    }
}

extension ConsoleContext {
    /// Whether the token is limited to some networks or apps.
    var isLimited: Bool {
        caller?.isLimited == true
    }

    /// Whether the token is limited to some apps.
    var isLimitedToApps: Bool {
        caller?.apps.isEmpty == false
    }

    /// The request as it is to be answered: of what concerns all networks, a limited token gets nothing, and one that is
    /// limited to apps counts these alone, whether or not it names them.
    func authorized(_ request: ReportRequest) throws -> ReportRequest {
        var request = request
        if caller?.networks.isEmpty == false {
            try authorize(request.networks)
        }
        if let apps = caller?.apps.map(\.description), !apps.isEmpty {
            let named = request.conditions.filter { $0.dimension == .app }
            guard named.flatMap(\.values).allSatisfy(apps.contains) else {
                throw AccessRefusal.outOfApp(allowed: apps)
            }
            // Counting up to a position tells how many postbacks there were.
            guard request.asOf == nil else {
                throw FieldProblem(
                    field: "as-of", found: "a position", expected: "none with a token that is limited to apps")
            }
            if named.allSatisfy(\.isExcluded) {
                request.conditions.append(LedgerQuestion.Condition(dimension: .app, values: Set(apps)))
            }
        }
        (request.isLimited, request.isLimitedToApps) = (isLimited, isLimitedToApps)
        return request
    }

    /// The request as it is to be answered, as with a free report.
    func authorized(_ request: StandardReportRequest) throws -> StandardReportRequest {
        if let apps = caller?.apps.map(\.description), !apps.isEmpty, !request.name.countsPostbacks {
            throw AccessRefusal.outOfApp(allowed: apps, canName: false)
        }
        var request = request
        request.selection = try authorized(request.selection)
        return request
    }
}

extension ReportFormat {
    /// The format whose media type a client prefers by name; JSON for clients, such as browsers, that name none.
    init(accept fields: [String], among formats: [ReportFormat]) {
        var best: (format: ReportFormat, quality: Double)?
        for range in fields.joined(separator: ",").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            guard case let quality = weight ?? 1, quality > best?.quality ?? 0,
                let format = formats.first(where: { parts.first == $0.mediaType.prefix { $0 != ";" }.lowercased() })
            else {
                continue
            }
            best = (format, quality)
        }
        self = best?.format ?? .json
    }

    /// The media type of the format, RFC 4180, 7763, 8259.
    var mediaType: String {
        switch self {
        case .table: "text/plain; charset=utf-8"
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        case .ndjson: "application/x-ndjson"
        case .markdown: "text/markdown; charset=utf-8"
        case .html: "text/html; charset=utf-8"
        }
    }
}
