import Attribution
import AttributionListener
import AttributionReports
import AttributionStore
import FoundationEssentials
import StrictJSON

/// The pages that count postbacks.
extension PageRoutes {
    func overview(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let query = try PageQuery(request, known: PageQuery.selection)
        if let narrowed = narrowed(query.selection, context) {
            return .seeOther(query.keepingFile(narrowed.link(PageLink())))
        }
        let wanted = try context.authorized(Self.standardRequest(.overview, query.selection))
        var health = sources.health()
        var quarantine: Result<[QuarantineTotal], PageProblem>?
        if context.isLimited {
            // What concerns all networks is not for a token that is limited to some.
            health = health.withoutFigures
        } else {
            quarantine = await part { try await sources.reader.quarantineTotals() }
        }
        let report = await part { try await count(wanted, context) }
        // What a report cannot be counted for is said once.
        var findings: [TrafficFinding] = []
        if !context.isLimited, case .success = report {
            let today = CalendarDay(containing: Self.nowMilliseconds, in: .gmt)
            findings =
                (try? await queue.run(for: context.caller?.id) {
                    try await sources.findings(today, wanted.selection.traffic, Self.limits)
                }) ?? []
        }
        let page = OverviewPage(
            health: health, traffic: findings, quarantine: quarantine, report: report, selection: query.selection)
        return try PageAnswer(page.page, query)
    }

    func standardReport(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let query = try PageQuery(request, known: PageQuery.selection)
        let text = request.name
        guard let name = StandardReportName(rawValue: text) else {
            throw Refusal(
                .notFound, "there is no report \(text.shortened(to: 40))",
                hint: "the reports are " + StandardReportName.allCases.map(\.rawValue).joined(separator: ", "))
        }
        if let narrowed = narrowed(query.selection, context) {
            return .seeOther(query.keepingFile(narrowed.link(PageLink("reports", name.rawValue))))
        }
        let wanted = try context.authorized(
            Self.standardRequest(name, query.selection, file: query.isFile ? query : nil))
        let report = try await count(wanted, context)
        guard query.isFile else {
            return .page(StandardReportPage(report: report, selection: query.selection).page)
        }
        return .file(
            csv: report.rendered(as: .csv),
            name: [name.rawValue, wanted.section].compactMap(\.self).joined(separator: "-"))
    }

    func explore(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let query = try PageQuery(request, known: PageQuery.selection + ["by", "columns", "sort", "top"])
        let fields = query.fields
        let choice = ExplorePage.Choice(
            by: fields["by"], columns: fields["columns"], sort: fields["sort"], top: fields["top"])
        if let narrowed = narrowed(query.selection, context) {
            return .seeOther(choice.keeping(query.keepingFile(narrowed.link(PageLink("explore")))))
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
        let report = await part {
            try await queue.run(for: context.caller?.id) { try await sources.report(wanted, Self.limits) }
        }
        return .page(ExplorePage(report: report, selection: query.selection, choice: choice).page)
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

    /// The selection of the networks that a token is limited to, where a request names none; nil for any other.
    private func narrowed(_ selection: PageSelection, _ context: ConsoleContext) -> PageSelection? {
        let prefix = ReportDimension.network.rawValue + "="
        guard context.isLimited, !selection.filters.contains(where: { $0.hasPrefix(prefix) }) else {
            return nil
        }
        var narrowed = selection
        narrowed.filters += context.caller?.networks.map { prefix + $0.text } ?? []
        return narrowed
    }
}
