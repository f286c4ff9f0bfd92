import Attribution
import AttributionListener
import AttributionReports
import AttributionStore
import FoundationEssentials
import StrictJSON

/// The pages that count postbacks.
extension PageRoutes {
    func overview(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let query = try PageQuery(request, known: PageQuery.selection + [Self.sort])
        if let narrowed = narrowed(query.selection, context) {
            return .seeOther(query.keeping([Self.sort], narrowed.link(PageLink())))
        }
        let order = try query.order
        let wanted = try context.authorized(Self.standardRequest(.overview, query.selection))
        var health: ServerHealth? = context.isLimitedToApps ? nil : sources.health()
        var quarantine: Result<[QuarantineTotal], PageProblem>?
        if context.isLimited {
            // What concerns all networks is not for a token that is limited to some.
            health = health?.withoutFigures
        } else {
            quarantine = await part(context) { try await sources.reader.quarantineTotals() }
        }
        let figures = await part(context) {
            try await campaignFigures(wanted, query.selection, context, isOfOne: false)
        }
        if case .success(let figures) = figures {
            try order?.check(figures.campaigns.sections + figures.overview.sections)
        }
        // What a report cannot be counted for is said once.
        var findings: [TrafficFinding] = []
        if !context.isLimited, case .success = figures {
            let today = CalendarDay(containing: Self.nowMilliseconds, in: .gmt)
            findings =
                (try? await queue.run(for: context.caller?.id) {
                    try await sources.findings(today, wanted.selection.traffic, Self.limits)
                }) ?? []
        }
        let page = OverviewPage(
            health: health, traffic: findings, quarantine: quarantine, figures: figures, selection: query.selection,
            order: order)
        return try PageAnswer(page.page, query)
    }

    func campaign(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let query = try PageQuery(request, known: PageQuery.selection + [Self.sort])
        if let narrowed = narrowed(query.selection, context) {
            return .seeOther(query.keeping([Self.sort], narrowed.link(PagePlace.campaign.link)))
        }
        guard !query.selection.filters.isEmpty else {
            // The first page lists the campaigns.
            return .seeOther(query.selection.link(PageLink()))
        }
        let wanted = try context.authorized(Self.standardRequest(.overview, query.selection))
        try CampaignPage.check(wanted.selection.conditions)
        let figures = try await campaignFigures(wanted, query.selection, context, isOfOne: true)
        let order = try query.order
        try order?.check(figures.campaigns.sections + figures.overview.sections)
        return try PageAnswer(
            CampaignPage(figures: figures, selection: query.selection, order: order).page, query)
    }

    /// The parameter that sorts a table of a page.
    private static let sort = "sort"
    /// The report with the main table.
    private static let mainReport = StandardReportName.performance

    /// What is counted for a selection: of a campaign, its row among those of its app.
    private func campaignFigures(
        _ wanted: StandardReportRequest, _ selection: PageSelection, _ context: ConsoleContext, isOfOne: Bool
    ) async throws -> CampaignFigures {
        let rows = isOfOne ? selection.ofApps : selection
        // Costs are refused conditions that ads do not have.
        let withCosts = try? Self.standardRequest(Self.mainReport, rows)
        let main = if let withCosts { withCosts } else { try Self.standardRequest(.campaigns, rows) }
        return CampaignFigures(
            overview: try await count(wanted, context),
            campaigns: try await count(context.authorized(main), context))
    }

    func standardReport(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let query = try PageQuery(request, known: PageQuery.selection + [Self.sort])
        let text = request.name
        guard let name = StandardReportName(rawValue: text) else {
            throw Refusal(
                .notFound, "there is no report \(text.shortened(to: 40))",
                hint: "the reports are " + StandardReportName.allCases.map(\.rawValue).joined(separator: ", "))
        }
        if let narrowed = narrowed(query.selection, context) {
            return .seeOther(query.keeping([Self.sort], narrowed.link(PageLink("reports", name.rawValue))))
        }
        let wanted = try context.authorized(
            Self.standardRequest(name, query.selection, file: query.isFile ? query : nil))
        let report = try await count(wanted, context)
        guard query.isFile else {
            let order = try query.order
            try order?.check(report.sections)
            return .page(StandardReportPage(report: report, selection: query.selection, order: order).page)
        }
        return .file(
            csv: report.rendered(as: .csv),
            name: [name.rawValue, wanted.section].compactMap(\.self).joined(separator: "-"))
    }

    func explore(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let query = try PageQuery(request, known: PageQuery.selection + ["by", "columns", "sort", "top"])
        let fields = query.fields
        let choice = ExplorePage.Choice(
            by: fields["by"].map { _ in fields.values("by").joined(separator: ",") }, columns: fields["columns"],
            sort: fields["sort"], top: fields["top"])
        if let narrowed = narrowed(query.selection, context) {
            return .seeOther(choice.keeping(query.keeping([], narrowed.link(PageLink("explore")))))
        }
        var texts = query.selection.reportParameters
        texts.by = choice.by ?? texts.by
        texts.columns = choice.columns ?? ExplorePage.Choice.defaultColumns
        texts.sort = choice.sort
        texts.top = choice.top ?? (query.isFile ? nil : String(ExplorePage.Choice.defaultTop))
        texts.format = .csv
        let wanted = try context.authorized(ReportRequest(texts, nowMilliseconds: Self.nowMilliseconds))
        if !query.isFile, let top = wanted.top, top > ExplorePage.Choice.maximumTop {
            throw FieldProblem(
                field: "top", found: String(top),
                expected: "at most \(ExplorePage.Choice.maximumTop) rows on a page, or format=csv with it for all")
        }
        if query.isFile {
            return try await queue.run(for: context.caller?.id) {
                let report = try await sources.report(wanted, Self.limits)
                report.damage.forEach { failures.note($0) }
                return .file(csv: report.rendered(as: .csv), name: "report")
            }
        }
        var ofAll = ReportParameters()
        (ofAll.period, ofAll.from, ofAll.to) = (texts.period, texts.from, texts.to)
        (ofAll.timeZone, ofAll.provenance, ofAll.top) = (texts.timeZone, texts.provenance, "500")
        // A limited token has no values to choose but those that it may see.
        ofAll.filters = context.isLimited ? query.selection.ofApps.filters : []
        let values = try context.authorized(ReportRequest(ofAll, nowMilliseconds: Self.nowMilliseconds))
        let explored = await part(context) { () async throws -> ExplorePage.Explored in
            try await queue.run(for: context.caller?.id) {
                ExplorePage.Explored(
                    report: try await sources.report(wanted, Self.limits),
                    existing: try await sources.report(values, Self.limits).sections[0])
            }
        }
        let shown = StandardReportRequest(
            name: .overview, selection: wanted, nowMilliseconds: Self.nowMilliseconds)
        return .page(
            ExplorePage(explored: explored, request: shown, selection: query.selection, choice: choice).page)
    }

    func definitions(_ request: IngressRequest) throws -> PageAnswer {
        try PageAnswer(DefinitionsPage().page, PageQuery(request, known: []))
    }

    // MARK: Counting

    private static let limits = LedgerLimits(deadline: ReportRoutes.deadline, isBackground: true)

    private static var nowMilliseconds: Int64 {
        Int64(Date().timeIntervalSince1970 * 1000)
    }

    private func count(_ wanted: StandardReportRequest, _ context: ConsoleContext) async throws -> StandardReport {
        try await queue.run(for: context.caller?.id) {
            let report = try await sources.standardReport(wanted, Self.limits)
            report.damage.forEach { failures.note($0) }
            return report
        }
    }

    private static func standardRequest(
        _ name: StandardReportName, _ selection: PageSelection, file: PageQuery? = nil
    ) throws(FieldProblem) -> StandardReportRequest {
        var parameters = StandardReportParameters()
        parameters.name = name.rawValue
        parameters.selection = selection.reportParameters
        parameters.isRolledUp = selection.isRolledUp
        if let file {
            parameters.section = file.fields["section"]
            parameters.format = .csv
        }
        return try StandardReportRequest(parameters, nowMilliseconds: nowMilliseconds)
    }

    /// The selection of the networks that a token is limited to, where a request names none, and of the traffic of a
    /// demonstration, where it names no other; nil for any other request.
    private func narrowed(_ selection: PageSelection, _ context: ConsoleContext) -> PageSelection? {
        let prefix = ReportDimension.network.rawValue + "="
        var narrowed = selection
        if selection.provenance == nil, sources.traffic != .apple {
            narrowed.provenance = sources.traffic.rawValue
        }
        if context.isLimited, !selection.filters.contains(where: { $0.hasPrefix(prefix) }) {
            narrowed.filters += context.caller?.networks.map { prefix + $0.text } ?? []
        }
        return narrowed == selection ? nil : narrowed
    }
}
