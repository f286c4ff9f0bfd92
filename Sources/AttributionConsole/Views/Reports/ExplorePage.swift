import Attribution
import AttributionReports
import AttributionStore

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

    let report: Result<Report, PageProblem>
    let selection: PageSelection
    let choice: Choice

    private static let link = PagePlace.explore.link

    var page: Page {
        Page(title: "Explore", place: .explore, selection: selection) {
            PeriodPicker(
                selection: selection, page: Self.link, days: (try? report.get())?.request.days ?? "",
                others: choice.parameters
            ).html
            HTML(.section, .class("card"), .ariaLabel("What to show")) { form }
            switch report {
            case .success(let report): HTML(.section, .class("card"), .ariaLabel("Report")) { table(of: report) }
            case .failure(let problem): problem.notice
            }
        }
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

    private func table(of report: Report) -> HTML {
        let table = report.sections[0].table(
            "Postbacks, \(report.request.days)", total: "total",
            link: { dimension, value in
                selection.link(Self.link, narrowedTo: dimension, value).map(choice.keeping)
            }, sort: { sort($0.name, isFigure: $0.dimension == nil) })
        return HTML([
            HTML.traffic(report.request.traffic),
            HTML(report.warnings.map { HTML.notice(.bad, $0) }),
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
