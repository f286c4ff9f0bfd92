package import AttributionReports
package import AttributionStore

/// The first screen: whether all is well, and the most important figures.
///
/// What is known without the store is shown even when the store fails, with the error in place of what is missing.
package struct OverviewPage {
    private let health: ServerHealth
    private let traffic: [TrafficFinding]
    private let quarantine: Result<[QuarantineTotal], PageProblem>?
    private let report: Result<StandardReport, PageProblem>
    private let selection: PageSelection

    package init(
        health: ServerHealth,
        traffic: [TrafficFinding],
        quarantine: Result<[QuarantineTotal], PageProblem>?,
        report: Result<StandardReport, PageProblem>,
        selection: PageSelection
    ) {
        self.health = health
        self.traffic = traffic
        self.quarantine = quarantine
        self.report = report
        self.selection = selection
    }

    package var page: Page {
        let panel = HealthPanel(
            health: health, traffic: traffic, quarantine: quarantine,
            today: (try? report.get())?.installsToday(nowMilliseconds: health.nowMilliseconds), selection: selection)
        return Page(
            title: "Overview", place: .overview, selection: selection, tables: [panel.answers].compactMap(\.self)
        ) {
            panel.html
            switch report {
            case .success(let report):
                figures(of: report)
            case .failure(let problem):
                PeriodPicker(selection: selection, page: PageLink(), days: "", others: []).html
                problem.notice
            }
            if let answers = panel.answers {
                answers.card(of: selection.link(PageLink()))
            }
        }
    }

    private func figures(of report: StandardReport) -> HTML {
        let view = StandardReportPage(report, selection)
        return HTML([
            PeriodPicker(selection: selection, page: PageLink(), days: report.days, others: []).html,
            HTML.traffic(report.request.selection.traffic),
            view.remarks,
            view.sections(of: .overview),
        ])
    }
}
