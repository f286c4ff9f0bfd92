import Attribution
import AttributionReports
import StrictJSON

extension ReportSection {
    /// The section as a table of a page, with links from the values of dimensions, and to sort by columns.
    ///
    /// Ids and names that belong together are one cell, so that the figures have room. A terse table leaves out columns
    /// without any value.
    func table(
        _ caption: String,
        total: String = "Total",
        order: TableOrder? = nil,
        limit: Int? = nil,
        isTerse: Bool = false,
        link: (ReportDimension, String) -> PageLink?,
        campaign: ([(ReportDimension, String)]) -> PageLink?,
        sort: (ReportColumn) -> PageTable.Column.Sort? = { _ in nil }
    ) -> PageTable {
        // A table without keys has its totals alone, for which a page has no room.
        let all = columns.contains(where: \.kind.isText) ? Array(rows) : []
        let sorted = order.flatMap { order in
            columns.firstIndex { $0.name == order.column }.map { Self.sorted(all, by: $0, order) }
        }
        let shown = (sorted ?? all).prefix(limit ?? .max)
        let bars = barColumn.map { index in shown.map { $0.cells[index].number ?? 0 } }
        let longest = bars?.max() ?? 0
        let names = NameCell(self)
        let indices = columns.indices.filter { index in
            // The change of a figure is beside it.
            guard names?.hidden.contains(index) != true, columns[index].name != "installs-change" else {
                return false
            }
            return !isTerse || all.contains { ![.absent, .key(""), .count(0)].contains($0.cells[index]) }
                || columns[index].name == "installs"
        }
        func cells(_ row: ReportSectionRow) -> [PageTable.Cell] {
            indices.map { index in
                guard index == names?.index, let names else {
                    return cell(index, of: row, link)
                }
                var cell = names.cell(row)
                cell.link = campaign(names.campaign(row)) ?? names.filter(row).flatMap(link)
                return cell
            }
        }
        return PageTable(
            id: name,
            caption: caption,
            columns: indices.map { index in
                let column = columns[index]
                let isName = index == names?.index
                // Free reports have names in place of titles.
                let title =
                    column.title == column.name
                    ? column.title.replacing("-", with: " ").capitalizedFirst : column.title
                return PageTable.Column(
                    isName ? names?.title ?? "" : title, isNumber: !column.kind.isText,
                    note: column.basis == .unsigned ? "not signed" : nil,
                    sort: sort(isName ? columns[names?.sorted ?? index] : column),
                    form: FigureForm(
                        shown.map { $0.cells[index] } + shown.compactMap { $0.previous?[index] }
                            + [totals?.cells[index]].compactMap(\.self)))
            },
            rows: shown.enumerated().map { index, row in
                PageTable.Row(cells(row), part: longest > 0 ? bars.map { $0[index] / longest } : nil)
            },
            totals: totals.map { totals in
                PageTable.Row(
                    indices.enumerated().map { offset, index in
                        columns[index].kind.isText
                            ? .words(offset == 0 ? total : "") : cell(index, of: totals) { _, _ in nil }
                    })
            },
            omittedRows: omittedRows + all.count - shown.count,
            emptyText: "Nothing was counted for these days and conditions.")
    }

    /// The rows in an order; those without a value come last, and equal ones keep their order.
    private static func sorted(
        _ rows: [ReportSectionRow], by column: Int, _ order: TableOrder
    ) -> [ReportSectionRow] {
        func isBefore(_ left: ReportCell, _ right: ReportCell) -> Bool? {
            if let left = left.number, let right = right.number {
                return left == right ? nil : (left < right) != order.isDescending
            }
            let (left, right) = (left.text, right.text)
            guard !left.isEmpty, !right.isEmpty else {
                return left == right ? nil : !left.isEmpty
            }
            if let left = Int64(left), let right = Int64(right), left != right {
                return (left < right) != order.isDescending
            }
            return left == right ? nil : (left < right) != order.isDescending
        }
        return rows.enumerated().sorted { left, right in
            isBefore(left.element.cells[column], right.element.cells[column]) ?? (left.offset < right.offset)
        }.map(\.element)
    }

    /// Whether it has a single row, whose figures are shown large.
    var isGlance: Bool {
        rows.count == 1 && totals == nil && columns.allSatisfy { $0.dimension == nil }
    }

    /// The figures of the only row; what it says in words is for programs, and said elsewhere on the page.
    func glance(csv: PageLink) -> HTML {
        HTML([
            HTML(.dl, .class("figures")) {
                HTML(
                    rows.prefix(1).flatMap { row in
                        columns.indices.filter { !columns[$0].kind.isText }.map { index in
                            HTML(.div) {
                                HTML(.dt) { columns[index].title }
                                HTML(.dd) { cell(index, of: row) { _, _ in nil }.html() }
                            }
                        }
                    })
            },
            HTML(.p, .class("file")) { HTML(.a, .href(csv), .download) { "CSV: \(title)" } },
        ])
    }

    /// The column that bars behind the rows show.
    private var barColumn: Int? {
        guard case .bars(_, let value) = chart else {
            return nil
        }
        return columns.firstIndex { $0.name == value }
    }

    private func cell(
        _ index: Int, of row: ReportSectionRow, _ link: (ReportDimension, String) -> PageLink?
    ) -> PageTable.Cell {
        let column = columns[index]
        var cell = PageTable.Cell(content: row.cells[index])
        if case .key(let value) = cell.content, column.isFilter, let dimension = column.dimension {
            cell.link = link(dimension, value)
        }
        if column.isCompared, let previous = row.previous?[index], previous != .absent {
            cell.previous = previous
        }
        return cell
    }

    /// The most columns of a chart of values.
    private static let widest = 80

    /// The section's chart of columns; nil where bars behind the rows show it, and for a section without a chart.
    var columnChart: ColumnChart? {
        let (category, value, isOfDays): (String, String, Bool)
        switch chart {
        case .line(let day, let figure): (category, value, isOfDays) = (day, figure, true)
        case .bars(let name, let figure): (category, value, isOfDays) = (name, figure, false)
        case nil: return nil
        }
        guard let label = columns.firstIndex(where: { $0.name == category }),
            let figure = columns.firstIndex(where: { $0.name == value }),
            // Values of a closed, ordered set are compared across; names of campaigns are not.
            isOfDays || columns[label].dimension == .conversionValue && rows.count <= Self.widest
        else {
            return nil
        }
        return ColumnChart(
            id: name + "-chart", title: title, unit: columns[figure].title.lowercased(),
            axis: columns[label].title.lowercased(),
            columns: rows.map { row in
                let previous = isOfDays ? row.previous?[figure] : nil
                return ColumnChart.Column(
                    row.cells[label].text, row.cells[figure].count,
                    previous: previous.flatMap { $0 == .absent ? nil : $0.count })
            })
    }
}

/// The columns of ids and names that one cell shows: of campaigns, of apps, or of sources.
struct NameCell {
    /// The column in whose place the cell is.
    let index: Int
    /// The columns that it shows, too.
    let hidden: Set<Int>
    let title: String
    /// The column by whose values rows are sorted.
    let sorted: Int
    private let columns: [ReportColumn]
    /// The source identifiers of rows that end in some digits, by network, app and these.
    private var endings: [[String]: Set<String>] = [:]

    /// Finds the columns; nil where there are none.
    init?(_ section: ReportSection) {
        func find(_ name: String) -> Int? {
            section.columns.firstIndex { $0.name == name }
        }
        columns = section.columns
        let (network, app) = (find("network"), find("app"))
        let campaign = [find("campaign-name"), find("source-identifier"), find("campaign-id")].compactMap(\.self)
        let source = [find("source-app-name"), find("source-app"), find("source-domain")].compactMap(\.self)
        let shown: [Int]
        if let network, let app, let sorted = campaign.first {
            shown = [network, app] + campaign + ["app-name", "campaign-mapping", "candidates"].compactMap(find)
            (title, self.sorted) = ("Campaign", sorted)
        } else if let sorted = source.first, source.count > 1 {
            shown = source
            (title, self.sorted) = ("Source", sorted)
        } else if let app, let name = find("app-name") {
            shown = [app, name]
            (title, self.sorted) = ("App", name)
        } else {
            return nil
        }
        index = shown.min() ?? 0
        hidden = Set(shown).subtracting([index])
        for row in title == "Campaign" ? Array(section.rows) : [] {
            let digits = text("source-identifier", row)
            for count in 2..<max(2, digits.count + 1) {
                endings[[text("network", row), text("app", row), String(digits.suffix(count))], default: []]
                    .insert(digits)
            }
        }
    }

    private func text(_ name: String, _ row: ReportSectionRow) -> String {
        columns.firstIndex { $0.name == name }.map { row.cells[$0].text } ?? ""
    }

    /// The name, or the id where there is none, and below it the ids.
    func cell(_ row: ReportSectionRow) -> PageTable.Cell {
        func given(_ names: String...) -> [String] {
            names.map { text($0, row) }.filter { !$0.isEmpty }
        }
        let all: [String]
        switch title {
        case "Campaign":
            let ids = given("campaign-id").map { "campaign \($0)" } + given("source-identifier")
            // What the candidates say is more than that there are several.
            let doubt = given("candidates").isEmpty ? given("campaign-mapping").filter { $0 == "ambiguous" } : []
            all =
                given("campaign-name") + [ids.isEmpty ? "no campaign" : ids.joined(separator: " or ")]
                + (given("app-name").isEmpty ? given("app") : given("app-name")) + given("network")
                + given("candidates") + doubt
        case "Source": all = given("source-app-name", "source-app", "source-domain")
        default: all = given("app-name", "app")
        }
        var cell = PageTable.Cell.value(all.first ?? "")
        cell.details = Array(all.dropFirst())
        return cell
    }

    /// What selects the campaign of a row alone; empty for other rows, and where an id may be of several campaigns.
    ///
    /// Where shorter digits count as a campaign's, no other row has them, and they are selected with it.
    func campaign(_ row: ReportSectionRow) -> [(ReportDimension, String)] {
        let dimensions: [ReportDimension] = [.network, .app, .campaignID, .sourceIdentifier]
        let values = dimensions.map { ($0, text($0.rawValue, row)) }.filter { !$0.1.isEmpty }
        guard title == "Campaign", values.count == 3, !values[2].1.contains(" ") else {
            return []
        }
        let digits = values[2].0 == .sourceIdentifier ? values[2].1 : ""
        let isFilter = columns.first { $0.dimension == .sourceIdentifier }?.isFilter == true
        let shorter = isFilter ? [] : (2..<max(2, digits.count)).map { String(digits.suffix($0)) }
        return values
            + shorter.filter { endings[[values[0].1, values[1].1, $0]]?.count == 1 }.map { (.sourceIdentifier, $0) }
    }

    /// The value that the row of a source or an app is of; nil for others.
    func filter(_ row: ReportSectionRow) -> (ReportDimension, String)? {
        let dimensions: [ReportDimension] =
            title == "Source" ? [.sourceApp, .sourceDomain] : title == "App" ? [.app] : []
        let values = dimensions.map { ($0, text($0.rawValue, row)) }
        return values.first { !$0.1.isEmpty } ?? values.first
    }
}

/// How a table of a page is sorted: `SECTION.COLUMN`, with `-` before it for the greatest first.
struct TableOrder: Hashable {
    let section: String
    let column: String
    let isDescending: Bool

    init(section: String, column: String, isDescending: Bool) {
        (self.section, self.column, self.isDescending) = (section, column, isDescending)
    }

    /// Reads the parameter `sort` of a page.
    init(reading text: String) throws(FieldProblem) {
        let parts = text.drop { $0 == "-" }.split(separator: ".")
        guard parts.count == 2 else {
            throw FieldProblem(
                field: "sort", found: text.shortened(to: 60),
                expected: "a section and a column, such as -campaigns.installs for the greatest first")
        }
        self.init(section: String(parts[0]), column: String(parts[1]), isDescending: text.hasPrefix("-"))
    }

    /// Refuses an order of what a page does not show.
    func check(_ sections: [ReportSection]) throws(FieldProblem) {
        guard sections.contains(where: { $0.name == section && $0.columns.contains { $0.name == column } }) else {
            let known = sections.flatMap { section in section.columns.map { "\(section.name).\($0.name)" } }
            throw FieldProblem(
                field: "sort", found: text.shortened(to: 60),
                expected: "a column of the page" + known.suggestion(for: "\(section).\(column)"))
        }
    }

    private var text: String {
        (isDescending ? "-" : "") + section + "." + column
    }

    /// The order as links repeat it; nothing for that of the report.
    static func parameters(_ order: TableOrder?) -> [PageLink.Parameter] {
        order.map { [PageLink.Parameter("sort", $0.text)] } ?? []
    }
}
