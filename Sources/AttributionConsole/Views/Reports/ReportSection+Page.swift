import Attribution
import AttributionReports

extension ReportSection {
    /// The section as a table of a page, with links from the values of dimensions, and to sort by columns.
    func table(
        _ caption: String,
        total: String = "Total",
        link: (ReportDimension, String) -> PageLink?,
        sort: (ReportColumn) -> PageTable.Column.Sort? = { _ in nil }
    ) -> PageTable {
        let bars = barColumn.map { index in rows.map { $0.cells[index].number ?? 0 } }
        let longest = bars?.max() ?? 0
        // A table without keys has its totals alone, for which a page has no room.
        let shown = columns.contains(where: \.kind.isText) ? rows : ReportSectionRows([])
        return PageTable(
            id: name,
            caption: caption,
            columns: columns.map { column in
                PageTable.Column(
                    column.title, isNumber: !column.kind.isText, note: column.basis == .unsigned ? "not signed" : nil,
                    sort: sort(column))
            },
            rows: shown.enumerated().map { index, row in
                PageTable.Row(cells(of: row, link), part: longest > 0 ? bars.map { $0[index] / longest } : nil)
            },
            totals: totals.map { totals in
                PageTable.Row(
                    zip(columns, cells(of: totals)).enumerated().map { index, pair in
                        pair.0.kind.isText ? .words(index == 0 ? total : "") : pair.1
                    })
            },
            omittedRows: omittedRows,
            emptyText: "Nothing was counted for these days and conditions.")
    }

    /// Whether it has a single row, whose figures are shown large.
    var isGlance: Bool {
        rows.count == 1 && totals == nil && columns.allSatisfy { $0.dimension == nil }
    }

    /// The figures of the only row; what it says in words is for programs, and said elsewhere on the page.
    func glance(csv: PageLink) -> HTML {
        let cells = rows.first.map { self.cells(of: $0) } ?? []
        return HTML([
            HTML(.dl, .class("figures")) {
                HTML(
                    zip(columns, cells).filter { !$0.0.kind.isText }.map { column, cell in
                        HTML(.div) {
                            HTML(.dt) { column.title }
                            HTML(.dd) { cell.html }
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

    private func cells(
        of row: ReportSectionRow,
        _ link: (ReportDimension, String) -> PageLink? = { _, _ in nil }
    ) -> [PageTable.Cell] {
        columns.indices.map { index in
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
