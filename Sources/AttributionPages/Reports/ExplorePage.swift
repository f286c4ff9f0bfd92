import Attribution
package import AttributionReports
import AttributionStore

/// The free report of `/v1/report`: any dimensions, any figures.
package struct ExplorePage {
    /// The parameters besides the selection, as given.
    package struct Choice: Hashable, Sendable {
        /// `by`.
        package var by: String?
        /// `columns`.
        package var columns: String?
        /// `sort`.
        package var sort: String?
        /// `top`.
        package var top: String?

        /// Makes a choice.
        package init(by: String? = nil, columns: String? = nil, sort: String? = nil, top: String? = nil) {
            (self.by, self.columns, self.sort, self.top) = (by, columns, sort, top)
        }

        /// The figures of a page that names none: a screen has no room for all.
        package static let defaultColumns =
            "postbacks,installs,redownloads,wins,losses,loss-rate,conversion-null,null-rate,conversion-mean"
        /// The most rows of a page that names no number.
        package static let defaultTop = 200
        /// The most rows of any page: a browser has no use for more, and a file has them all.
        package static let maximumTop = 1_000

        /// The parameters that are given.
        package var parameters: [PageLink.Parameter] {
            [("by", by), ("columns", columns), ("sort", sort), ("top", top)].compactMap { name, value in
                value.map { PageLink.Parameter(name, $0) }
            }
        }
    }

    private let report: Result<Report, PageProblem>
    private let selection: PageSelection
    private let choice: Choice

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - report: The report, or why there is none; the form is shown in any case.
    ///   - selection: What is counted.
    ///   - choice: How it is broken down.
    package init(_ report: Result<Report, PageProblem>, _ selection: PageSelection, _ choice: Choice) {
        self.report = report
        self.selection = selection
        self.choice = choice
    }

    private static let link = PagePlace.explore.link

    /// The page.
    package var page: Page {
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
            HTML(
                selection.parameters.filter { $0.name != "where" }.map {
                    HTML(.input, .type("hidden"), .name($0.name), .value($0.value))
                } + selection.filters.map { HTML(.input, .type("hidden"), .name("where"), .value($0)) })
            HTML.field("by", "Rows by", type: "text", value: choice.by ?? ReportParameters().by)
            HTML.field("where", "Only where", type: "text", value: "", placeholder: "app=525463029")
            HTML.field("columns", "Figures", type: "text", value: choice.columns ?? "", placeholder: "all usual ones")
            HTML.field("sort", "Sorted by", type: "text", value: choice.sort ?? "", placeholder: "-installs")
            HTML.field("top", "Rows at most", type: "text", value: choice.top ?? "", placeholder: "200")
            HTML(.button, .type("submit")) { "Show" }
        }
    }

    private func table(of report: Report) -> HTML {
        let dimensions = report.request.dimensions
        let columns = report.singleColumns
        let leading =
            dimensions.isEmpty
            ? [PageTable.Column("total")]
            : dimensions.map {
                PageTable.Column($0.rawValue, note: Self.note($0), sort: sort($0.rawValue, false))
            }
        let table = PageTable(
            id: "report", caption: "Postbacks, \(report.request.days)",
            columns: leading
                + columns.map { column in
                    PageTable.Column(
                        column.name, isNumber: true, note: column.isProven(in: report.totals) ? nil : "not signed",
                        sort: sort(column.name, true))
                },
            rows: dimensions.isEmpty
                ? []
                : report.rows.map { row in
                    PageTable.Row(
                        zip(dimensions, row.values).map { dimension, value in
                            .value(value, link: link(dimension, value))
                        } + columns.map { Self.cell($0.value(row.counts)) })
                },
            totals: PageTable.Row(
                [.words("total")] + leading.dropFirst().map { _ in .words("") }
                    + columns.map { Self.cell($0.value(report.totals)) }),
            omittedRows: report.omittedRows,
            emptyText: "Nothing was counted for these days and conditions.")
        let csv = choice.parameters.reduce(selection.link(Self.link)) { $0.adding($1.name, $1.value) }
        return HTML([
            HTML.traffic(report.request.traffic),
            HTML(report.warnings.map { HTML.notice(.bad, $0) }),
            table.html(csv: csv.adding("format", "csv")),
        ])
    }

    private static func note(_ dimension: ReportDimension) -> String? {
        dimension.basis == .unsigned ? "not signed" : nil
    }

    private func link(_ dimension: ReportDimension, _ value: String) -> PageLink? {
        selection.link(Self.link, narrowedTo: dimension, value).map { link in
            choice.parameters.reduce(link) { $0.adding($1.name, $1.value) }
        }
    }

    /// The greatest figures come first when a column is first chosen, the names in their order.
    private func sort(_ name: String, _ isFigure: Bool) -> PageTable.Column.Sort {
        let order: PageTable.Column.Sort.Order? =
            choice.sort == name ? .ascending : choice.sort == "-" + name ? .descending : nil
        var choice = choice
        choice.sort =
            switch order {
            case .ascending: "-" + name
            case .descending: name
            case nil: isFigure ? "-" + name : name
            }
        let link = choice.parameters.reduce(selection.link(Self.link)) { $0.adding($1.name, $1.value) }
        return PageTable.Column.Sort(link: link, order: order)
    }

    private static func cell(_ value: ReportColumn.Value) -> PageTable.Cell {
        switch value {
        case .count(let count): .count(count)
        case .ratio(let ratio, let places): .decimal(ratio, places: places)
        case .histogram: .blank
        }
    }
}
