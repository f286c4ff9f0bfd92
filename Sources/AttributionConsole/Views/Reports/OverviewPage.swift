import Attribution
import AttributionReports
import AttributionStore

/// What is counted for a page on all campaigns, or on one.
struct CampaignFigures {
    let overview: StandardReport
    /// The table of all campaigns that the page may be of, and figures in each currency where it has them.
    let campaigns: StandardReport

    /// The figures in a line, and the installs by day below them.
    func trend(_ view: StandardReportPage, _ place: PagePlace, money: ReportSection?) -> HTML {
        HTML(
            overview.sections.filter { $0.name == "days" }.map {
                view.section($0, place, lead: Headline(overview, money: money).html)
            })
    }
}

/// The first screen: what campaigns did, whether all is well, and the most important figures.
///
/// What is known without the store is shown even when the store fails, with the error in place of what is missing.
struct OverviewPage {
    /// What is known of the server; nil where operations are not shown.
    let health: ServerHealth?
    let traffic: [TrafficFinding]
    /// How much there is in the quarantine, or why that is not known; nil where it is not shown.
    let quarantine: Result<[QuarantineTotal], PageProblem>?
    let figures: Result<CampaignFigures, PageProblem>
    let selection: PageSelection
    var order: TableOrder?

    /// How many campaigns it has; the report has all.
    private static let campaigns = 20
    /// The sections of the overview that are not shown below the campaigns.
    private static let above: Set<String> = ["days", "campaigns"]

    var page: Page {
        let counted = try? figures.get()
        let panel = health.map { health in
            HealthPanel(
                health: health, traffic: traffic, quarantine: quarantine,
                today: counted?.overview.installsToday(nowMilliseconds: health.nowMilliseconds), selection: selection)
        }
        let picker = PeriodPicker(
            selection: selection, page: PageLink(), request: counted?.overview.request,
            others: TableOrder.parameters(order))
        return Page(
            title: "Overview", place: .overview, selection: selection, tables: [panel?.answers].compactMap(\.self),
            controls: picker.html
        ) {
            picker.conditions
            HTML((health?.findings ?? []).filter { $0.mood == .bad }.map { HTML.notice($0.mood, $0.text) })
            switch figures {
            case .success(let figures):
                content(figures, panel)
            case .failure(let problem):
                problem.notice
                panel?.html ?? .nothing
            }
            if let answers = panel?.answers {
                answers.card(of: selection.link(PageLink()))
            }
        }
    }

    private func content(_ figures: CampaignFigures, _ panel: HealthPanel?) -> HTML {
        let view = StandardReportPage(report: figures.overview, selection: selection, order: order)
        let report = figures.campaigns
        let table = StandardReportPage(report: report, selection: selection, order: order)
        return HTML([
            HTML.traffic(figures.overview.request.selection.traffic),
            view.remarks,
            figures.trend(view, .overview, money: report.sections.first { $0.name == "currencies" }),
            panel?.html ?? .nothing,
            HTML(report.sections.prefix(1).map { table.section($0, .overview, limit: Self.campaigns, isTerse: true) }),
            HTML(.p, .class("more")) {
                HTML.link(selection.link(PagePlace.report(report.name.rawValue).link), "All campaigns")
            },
            HTML(.div, .class("columns")) {
                HTML(
                    figures.overview.sections.filter { !Self.above.contains($0.name) }.map {
                        view.section($0, .overview)
                    })
            },
            view.position,
        ])
    }
}

/// Whether all is well, from what is known without the store's help, and from the store what it can tell.
struct HealthPanel {
    let health: ServerHealth
    /// What of yesterday's traffic a person should look at.
    let traffic: [TrafficFinding]
    /// How much there is in the quarantine, or why that is not known; nil where it is not shown.
    let quarantine: Result<[QuarantineTotal], PageProblem>?
    /// What came in today; nil where that was not counted.
    let today: InstallsToday?
    /// What the page counts, which links to other pages keep.
    let selection: PageSelection

    /// A line that opens.
    var html: HTML {
        HTML(.details, .class("card operations")) {
            HTML(.summary) { summary }
            verdict
            HTML(.dl, .class("figures")) {
                if health.hasFigures {
                    Self.figure("Last postback", age(of: health.lastRecordedAtMilliseconds), ago)
                }
                if let today {
                    Self.figure(
                        selection.filters.isEmpty ? today.name : today.name + ", as selected", .count(today.count),
                        HTML(today.yesterday.map { "so far; yesterday \($0.grouped)" } ?? "so far"))
                }
                if health.hasFigures {
                    figuresOfAllNetworks
                }
                Self.figure("Certificate ends", certificateEnd, certificateDay)
                Self.figure("Running for", age(of: health.startedAtMilliseconds), nil)
            }
            HTML(.p, .class("more")) {
                "Seen at "
                HTML.moment(health.nowMilliseconds)
                ". "
                HTML.link(selection.link(PageLink()), "Look again")
            }
        }
    }

    /// The operations in a line: a mark, what is most important, and how long ago a postback came.
    private var summary: HTML {
        let findings = health.findings
        var count = findings.count + traffic.count
        if case .failure? = quarantine { count += 1 }
        let (mark, words): (HTMLAttribute, String) =
            if findings.contains(where: { $0.mood == .bad }) {
                (.class("dot bad"), findings.first { $0.mood == .bad }?.text ?? "")
            } else if count > 0 {
                (.class("dot uncertain"), "Recording; \(count) thing\(count == 1 ? "" : "s") to look at")
            } else {
                (.class("dot good"), "Recording")
            }
        return HTML([
            HTML(.span, [mark, .ariaHidden]), HTML("Operations: " + words),
            health.hasFigures
                ? age(of: health.lastRecordedAtMilliseconds).map {
                    HTML([HTML(" · last postback "), $0, HTML(" ago")])
                } ?? .nothing
                : .nothing,
        ])
    }

    private var figuresOfAllNetworks: HTML {
        HTML([
            Self.figure("In quarantine", quarantineCount, nil),
            Self.figure(
                "Deliveries a second", health.deliveriesPerSecond.map { HTML.decimal($0, places: 1) },
                HTML("in the last minute")),
            Self.figure("Waiting", health.waiting.map { .count(Int64($0)) }, HTML("to be recorded")),
            Self.figure("Store", storeBytes.map { HTML($0.bytes) }, .value(health.store)),
            Self.figure(
                "Disk free", health.disk.map { HTML($0.free.bytes) },
                health.disk.map { HTML("of \($0.all.bytes)") }),
        ])
    }

    private var verdict: HTML {
        var notices = health.findings.map { HTML.notice($0.mood, $0.text) }
        if case .failure(let problem)? = quarantine {
            notices.append(problem.notice)
        }
        notices += traffic.map { finding in
            HTML(.p, HTML.Mood.uncertain.attribute) {
                finding.text
                " "
                cause(of: finding)
            }
        }
        return notices.isEmpty ? .notice(.good, "All is well: postbacks are recorded.") : HTML(notices)
    }

    /// Where a person sees more of a finding.
    private func cause(of finding: TrafficFinding) -> HTML {
        func kept(_ kind: QuarantineClass, _ text: String) -> HTML {
            .link(QuarantineQuery(kind: kind).link(PagePlace.quarantine.link), text)
        }
        return switch finding {
        case .forged: kept(.forged, "See what does not verify")
        case .unknown: kept(.future, "See what is not known")
        case .notUnderstood: kept(.unknown, "See what is not understood")
        case .conflicts: .link(PagePlace.conflicts.link, "See the conflicts")
        case .newValue(let dimension, let value, _, _):
            .link(
                selection.narrowed(to: dimension, value).link(PagePlace.report("campaigns").link),
                "See their campaigns")
        case .drought(let app, _, _), .missingValues(let app, _, _), .invalidValues(let app, _):
            .link(selection.narrowed(to: .app, app).link(PagePlace.report("campaigns").link), "See its campaigns")
        }
    }

    private static func figure(_ name: String, _ value: HTML?, _ detail: HTML?) -> HTML {
        HTML(.div) {
            HTML(.dt) { name }
            HTML(.dd) {
                value ?? HTML(.span, .class("none")) { "unknown" }
                if let detail {
                    " "
                    HTML(.span, .class("change")) { detail }
                }
            }
        }
    }

    private func age(of milliseconds: Int64?) -> HTML? {
        milliseconds.map { HTML((health.nowMilliseconds - $0).spanOfMilliseconds) }
    }

    private var ago: HTML? {
        health.lastRecordedAtMilliseconds.map { HTML([HTML("ago, at "), .moment($0)]) }
    }

    private var quarantineCount: HTML? {
        guard case .success(let totals)? = quarantine else {
            return nil
        }
        let count = totals.reduce(0) { $0 + $1.count }
        return HTML(.a, .href(PagePlace.quarantine.link)) { HTML.count(count) }
    }

    private var storeBytes: Int64? {
        health.parts.isEmpty ? nil : health.parts.reduce(0) { $0 + $1.bytes }
    }

    private var certificateEnd: HTML {
        guard let end = health.certificateEndMilliseconds else {
            return .none
        }
        return HTML(
            end <= health.nowMilliseconds ? "expired" : "in " + (end - health.nowMilliseconds).spanOfMilliseconds)
    }

    private var certificateDay: HTML {
        health.certificateEndMilliseconds.map(HTML.moment) ?? HTML("no TLS on the public listener")
    }

    /// The answers of the public listener; nil where they are not known.
    var answers: PageTable? {
        health.answers.map { answers in
            PageTable(
                id: "answers", caption: "Answers to devices since the process was started",
                columns: [.init("status"), .init("answers", isNumber: true), .init("meaning")],
                rows: answers.map { .init([.words($0.status), .count($0.count), .words(Self.meaning($0.status))]) },
                emptyText: "No request has come yet.")
        }
    }

    private static func meaning(_ status: String) -> String {
        switch status {
        case "200": "acknowledged: recorded, repeated or kept"
        case "dropped": "the client was gone before its answer"
        case "503": "not acknowledged: the device sends it again"
        case "400", "422": "refused: it cannot be a postback"
        case _ where status.hasPrefix("4"): "refused"
        default: ""
        }
    }
}

/// How many installs today has brought so far: what is counted, and yesterday's, nil if the report lacks that day.
typealias InstallsToday = (name: String, count: Int64, yesterday: Int64?)

extension StandardReport {
    /// Today's installs, from the section of days; nil for a report of other days.
    func installsToday(nowMilliseconds: Int64) -> InstallsToday? {
        let today = CalendarDay(containing: nowMilliseconds, in: request.selection.timeZone)
        guard let count = installs(on: today) else {
            return nil
        }
        let traffic = request.selection.traffic
        let name = traffic == .apple ? "Installs today" : "\(traffic.rawValue.capitalizedFirst) installs today"
        return (name, count, installs(on: today.advanced(by: -1)))
    }

    private func installs(on day: CalendarDay) -> Int64? {
        guard let days = sections.first(where: { $0.name == "days" }),
            let name = days.columns.firstIndex(where: { $0.dimension == .day }),
            let installs = days.columns.firstIndex(where: { $0.name == "installs" }),
            let row = days.rows.first(where: { $0.cells[name] == .key(day.description) }),
            case .count(let count) = row.cells[installs]
        else {
            return nil
        }
        return count
    }
}
