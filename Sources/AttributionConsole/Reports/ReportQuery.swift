import Attribution
import AttributionAccess
import AttributionListener
import AttributionReports
import AttributionStore
import StrictJSON

/// A report request from a URL, with `Accept` for its format.
struct ReportQuery {
    let request: ReportRequest
    let format: ReportFormat

    /// The parameters of the route.
    static let parameters = ["by"] + ReportParameterTexts.selecting + ["columns", "sort", "histogram", "format"]

    /// Reads a request.
    ///
    /// - Throws: ``Attribution/FieldProblem`` naming the parameter.
    init(_ request: IngressRequest, nowMilliseconds: Int64) throws(FieldProblem) {
        let given = try ReportParameterTexts(request, known: Self.parameters)
        format = try given.format()
        var texts = given.selection
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
    let format: StandardReportFormat

    /// The parameters of the route.
    static let parameters = ReportParameterTexts.selecting + ["section", "compare", "explain", "format"]

    /// Reads a request.
    ///
    /// - Throws: ``Attribution/FieldProblem`` naming the parameter.
    init(_ request: IngressRequest, nowMilliseconds: Int64) throws(FieldProblem) {
        let given = try ReportParameterTexts(request, known: Self.parameters)
        format = try given.format()
        var texts = StandardReportParameters()
        texts.name = request.name
        texts.selection = given.selection
        texts.section = given.text("section")
        texts.isCompared = try given.flag("compare") ?? true
        texts.isExplained = try given.flag("explain") ?? false
        texts.format = format
        self.request = try StandardReportRequest(texts, nowMilliseconds: nowMilliseconds)
    }
}

extension ReportRequest {
    /// The networks that are counted; empty for all.
    var networks: [String] {
        conditions.filter { $0.dimension == .network && !$0.isExcluded }.flatMap(\.values)
    }
}

extension ConsoleContext {
    /// Whether the token is limited to some networks.
    var isLimited: Bool {
        caller?.networks.isEmpty == false
    }

    /// The request as it is to be answered: of what concerns all networks, a limited token gets nothing.
    ///
    /// - Throws: As ``authorize(_:)``.
    func authorized(_ request: ReportRequest) throws(AccessRefusal) -> ReportRequest {
        try authorize(request.networks)
        var request = request
        request.isLimited = isLimited
        return request
    }

    /// The request as it is to be answered: of what concerns all networks, a limited token gets nothing.
    ///
    /// - Throws: As ``authorize(_:)``.
    func authorized(_ request: StandardReportRequest) throws(AccessRefusal) -> StandardReportRequest {
        var request = request
        request.selection = try authorized(request.selection)
        return request
    }
}
