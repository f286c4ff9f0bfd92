import Attribution
import AttributionReports
import AttributionStore
import StrictJSON

/// The free report of `/v1/report`: any dimensions, any figures.
struct ExplorePage {
    /// The parameters besides the selection, as given.
    struct Choice: Hashable, Sendable {
        var by: String?
        var columns: String?
        var sort: String?
        var top: String?

        /// The figures of a page that names none: a screen has no room for all.
        static let defaultColumns =
            "postbacks,installs,redownloads,wins,losses,loss-rate,conversion-null,null-rate,conversion-mean"
        /// The most rows of a page that names no number.
        static let defaultTop = 200
        /// The most rows of any page: a browser has no use for more, and a file has them all.
        static let maximumTop = 1_000

        /// A link with these parameters.
        func keeping(_ link: PageLink) -> PageLink {
            link.adding(parameters)
        }

        /// The parameters that are given.
        var parameters: [PageLink.Parameter] {
            [("by", by), ("columns", columns), ("sort", sort), ("top", top)].compactMap { name, value in
                value.map { PageLink.Parameter(name, $0) }
            }
        }
    }

    /// What was counted.
    struct Explored: Sendable {
        let report: Report
        /// The networks, apps and campaigns of the days, whatever is selected of them.
        let existing: ReportSection
    }

    let explored: Result<Explored, PageProblem>
    let request: StandardReportRequest
    let selection: PageSelection
    let choice: Choice

    private static let link = PagePlace.explore.link

    var page: Page {
        let picker = PeriodPicker(
            selection: selection, page: Self.link, request: request, others: choice.parameters)
        return Page(title: "Explore", place: .explore, selection: selection, controls: picker.html) {
            picker.conditions
            HTML.traffic(request.selection.traffic)
            HTML(.section, .class("card"), .ariaLabel("What to show")) {
                pickers
                HTML(.details) {
                    HTML(.summary) { "As text: any dimensions, conditions and figures" }
                    form
                }
            }
            switch explored {
            case .success(let explored):
                HTML(.section, .class("card all"), .ariaLabel("Report")) { table(of: explored) }
            case .failure(let problem): problem.notice
            }
        }
    }

    // MARK: Pickers

    /// The usual rows, by the parameter that names them.
    private static let groups: [(value: String, title: String)] =
        [
            (ReportParameters().by, "Campaigns"), ("app", "Apps"), ("network", "Ad networks"), ("source", "Sources"),
            ("day", "Days"), ("week", "Weeks"), ("month", "Months"), ("hour", "Hours"), ("country", "Countries"),
            ("conversion-value", "Conversion values"), ("sequence-index", "Windows"), ("version", "Versions"),
            ("fidelity", "Fidelity"), ("interaction-type", "Interactions"), ("conversion-type", "Conversion types"),
            ("redownload", "Redownloads"), ("marketplace", "Marketplaces"), ("framework", "Frameworks"),
        ]
    private static let figures: [(value: String, title: String)] = [
        ("", "The usual ones"), ("postbacks,installs,redownloads,redownload-rate", "Installs and redownloads"),
        ("installs,conversion-null,null-rate,conversion-fine,conversion-mean", "Conversion values"),
        ("postbacks,wins,losses,loss-rate", "Wins and losses"),
    ]
    private static let orders: [(value: String, title: String)] = [
        ("", "As the rows are named"), ("-installs", "Most installs"), ("-postbacks", "Most postbacks"),
        ("-null-rate", "Most without a value"), ("-losses", "Most lost"),
    ]
    private static let counts: [(value: String, title: String)] = [("", "200"), ("20", "20"), ("1000", "1,000")]

    /// Choices among what exists; each can also be made as text.
    private var pickers: HTML {
        let by = choice.by ?? ReportParameters().by
        let isGroup = Self.groups.contains { $0.value == by }
        let parts = by.split(separator: ",", maxSplits: 1).map(String.init)
        let isPair =
            !isGroup && parts.count == 2 && parts.allSatisfy { part in Self.groups.contains { $0.value == part } }
        let (first, second) = isPair ? (parts[0], parts[1]) : (by, "")
        let lists = existing.map { list in
            (list: list, chosen: list.options.first { selection.filters.contains($0.value) }?.value ?? "")
        }
        let chosen = lists.map { PageLink.Parameter("where", $0.chosen) }
        return HTML(.form, .method("get"), .action(Self.link)) {
            HTML.hidden(selection.parameters.filter { !chosen.contains($0) })
            pick("by", "Rows", id: "rows", Self.groups, first)
            pick("by", "and below them", id: "rows-below", [("", "nothing more")] + Self.groups.dropFirst(), second)
            HTML(
                lists.map { list, chosen in
                    pick("where", list.title, id: list.id, [("", "all")] + list.options, chosen)
                })
            pick("columns", "Figures", id: "columns", Self.figures, choice.columns ?? "")
            pick("sort", "Order", id: "sort", Self.orders, choice.sort ?? "")
            pick("top", "Rows at most", id: "top", Self.counts, choice.top ?? "")
            HTML(.button, .type("submit")) { "Show" }
        }
    }

    /// A picker; what was chosen as text is one of its values, too.
    private func pick(
        _ name: String, _ label: String, id: String, _ options: [(value: String, title: String)], _ selected: String
    ) -> HTML {
        let isKnown = options.contains { $0.value == selected }
        return HTML.choice(
            name, label, options + (isKnown ? [] : [(selected, selected.shortened(to: 60))]), selected: selected,
            id: "pick-" + id)
    }

    /// The networks, apps and campaigns of the days, each once.
    private var existing: [(id: String, title: String, options: [(value: String, title: String)])] {
        guard let section = try? explored.get().existing else {
            return []
        }
        func options(_ dimension: ReportDimension, _ name: String) -> [(value: String, title: String)] {
            guard let id = section.columns.firstIndex(where: { $0.dimension == dimension }) else {
                return []
            }
            let name = section.columns.firstIndex { $0.name == name }
            var titles: [String: Set<String>] = [:]
            for row in section.rows where !row.cells[id].text.isEmpty {
                let title = name.map { row.cells[$0].text } ?? ""
                titles[row.cells[id].text, default: []].formUnion(title.isEmpty ? [] : [title])
            }
            return titles.map { id, names in
                (
                    value: "\(dimension.rawValue)=\(id)",
                    title: (names.isEmpty ? id : names.sorted().joined(separator: ", ") + " (\(id))").shortened(to: 60)
                )
            }.sorted { ($0.title, $0.value) < ($1.title, $1.value) }
        }
        return [
            ("app", "App", options(.app, "app-name")),
            ("source-identifier", "Campaign", options(.sourceIdentifier, "campaign-name")),
            ("campaign-id", "Campaign, up to 3.0", options(.campaignID, "campaign-name")),
            ("network", "Ad network", options(.network, "")),
        ]
    }

    private var form: HTML {
        HTML(.form, .method("get"), .action(Self.link)) {
            HTML.hidden(selection.parameters)
            HTML.field("by", "Rows by", type: "text", value: choice.by ?? ReportParameters().by)
            HTML.field("where", "Only where", type: "text", value: "", placeholder: "app=525463029")
            HTML.field("columns", "Figures", type: "text", value: choice.columns ?? "", placeholder: "all usual ones")
            HTML.field("sort", "Sorted by", type: "text", value: choice.sort ?? "", placeholder: "-installs")
            HTML.field("top", "Rows at most", type: "text", value: choice.top ?? "", placeholder: "200")
            HTML(.button, .type("submit")) { "Show" }
        }
    }

    private func table(of explored: Explored) -> HTML {
        let table = explored.report.sections[0].table(
            "Postbacks, \(request.selection.days)", total: "total",
            link: { dimension, value in
                selection.link(Self.link, narrowedTo: dimension, value).map(choice.keeping)
            },
            campaign: { CampaignPage.link(selection, $0) },
            sort: { column in
                // Names are no dimensions to sort by.
                column.dimension == nil && column.kind.isText
                    ? nil : sort(column.name, isFigure: column.dimension == nil)
            })
        return HTML([
            HTML(explored.report.warnings.map { HTML.notice(.bad, $0) }),
            HTML(explored.report.installDayLines.map { line in HTML(.p, .class("more")) { line } }),
            table.html(csv: choice.keeping(selection.link(Self.link)).adding("format", "csv")),
        ])
    }

    /// The greatest figures come first when a column is first chosen, the names in their order.
    private func sort(_ name: String, isFigure: Bool) -> PageTable.Column.Sort {
        let isDescending = choice.sort == name ? false : choice.sort == "-" + name ? true : nil
        var choice = choice
        choice.sort = isDescending ?? !isFigure ? name : "-" + name
        return PageTable.Column.Sort(link: choice.keeping(selection.link(Self.link)), isDescending: isDescending)
    }
}
