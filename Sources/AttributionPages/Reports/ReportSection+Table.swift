import Attribution
import AttributionReports

extension ReportSection {
    /// The section as a table of a page.
    ///
    /// - Parameters:
    ///   - page: The page that a row leads to.
    ///   - selection: What the page counts, which a row narrows.
    /// - Returns: The table.
    func table(of page: PageLink, _ selection: PageSelection) -> PageTable {
        let longest = barColumn.map { index in rows.map { $0.cells[index].size }.max() ?? 0 } ?? 0
        return PageTable(
            id: name,
            caption: title,
            columns: columns.map { column in
                PageTable.Column(
                    column.title, isNumber: !column.kind.isText,
                    note: column.basis == .unsigned ? "not signed" : nil)
            },
            rows: rows.map { row in
                let size = barColumn.map { row.cells[$0].size }
                return PageTable.Row(
                    cells(of: row, page, selection), part: longest > 0 ? size.map { $0 / longest } : nil)
            },
            totals: totals.map { PageTable.Row(totalCells($0, selection)) },
            omittedRows: omittedRows,
            emptyText: "Nothing was counted for these days and conditions.")
    }

    /// Whether it has a single row, whose figures are shown large.
    var isGlance: Bool {
        rows.count == 1 && totals == nil && columns.allSatisfy { $0.dimension == nil }
    }

    /// The figures of the only row; what it says in words is for programs, and said elsewhere on the page.
    func glance(_ selection: PageSelection, csv: PageLink) -> HTML {
        let cells = rows.first.map { self.cells(of: $0, nil, selection) } ?? []
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

    /// The row of totals, which has no keys.
    private func totalCells(_ totals: ReportSectionRow, _ selection: PageSelection) -> [PageTable.Cell] {
        zip(columns, cells(of: totals, nil, selection)).enumerated().map { index, pair in
            pair.0.kind.isText ? .words(index == 0 ? "Total" : "") : pair.1
        }
    }

    private func cells(of row: ReportSectionRow, _ page: PageLink?, _ selection: PageSelection) -> [PageTable.Cell] {
        columns.indices.map { index in
            let column = columns[index]
            let cell = Self.cell(row.cells[index], column, page, selection)
            guard column.isCompared, let previous = row.previous?[index], previous != .absent else {
                return cell
            }
            return .compared(cell, previous: Self.cell(previous, column, nil, selection))
        }
    }

    private static func cell(
        _ cell: ReportCell, _ column: ReportSectionColumn, _ page: PageLink?, _ selection: PageSelection
    ) -> PageTable.Cell {
        switch cell {
        case .key(let value):
            let link = page.flatMap { page in
                (column.isFilter ? column.dimension : nil).flatMap { selection.link(page, narrowedTo: $0, value) }
            }
            return .value(value, link: link)
        case .text(let text): return .words(text)
        case .count(let count): return .count(count)
        case .share(let part, let whole): return .share(Double(part) / Double(whole))
        case .mean(let sum, let count): return .decimal(Double(sum) / Double(count), places: 2)
        case .decimal(let number, let places): return .decimal(number, places: places)
        case .money(let amount): return .money(amount)
        case .counts(let range): return .counts(range)
        case .shares(let range, let whole):
            return .shares(
                Double(range.lowerBound) / Double(whole)...Double(range.upperBound) / Double(whole))
        case .time(let milliseconds): return .moment(milliseconds)
        case .absent: return .blank
        }
    }
}

extension ReportCell {
    /// How long its bar is, compared with others of its column.
    fileprivate var size: Double {
        switch self {
        case .count(let count): Double(count)
        case .share(let part, let whole), .mean(let part, let whole): Double(part) / Double(whole)
        case .decimal(let number, _): number
        case .money(let amount): Double(amount.micros)
        case .counts(let range), .shares(let range, _): Double(range.lowerBound)
        case .key, .text, .time, .absent: 0
        }
    }

    /// The number of a count; 0 for any other cell.
    fileprivate var count: Int64 {
        if case .count(let count) = self { count } else { 0 }
    }

    /// The text of a key or words.
    fileprivate var label: String {
        switch self {
        case .key(let text), .text(let text): text
        default: ""
        }
    }
}

extension ReportSection {
    /// The most columns of a chart of values.
    private static let widest = 80

    /// The section's chart of columns; nil where bars behind the rows show it, and for a section without a chart.
    var columnChart: ColumnChart? {
        switch chart {
        case .line(let day, let value):
            guard let category = columns.firstIndex(where: { $0.name == day }),
                let figure = columns.firstIndex(where: { $0.name == value })
            else {
                return nil
            }
            return ColumnChart(
                id: name + "-chart", title: title, unit: columns[figure].title.lowercased(),
                axis: columns[category].title.lowercased(),
                columns: rows.map { row in
                    ColumnChart.Column(
                        row.cells[category].label, row.cells[figure].count,
                        previous: row.previous.flatMap { $0[figure] == .absent ? nil : $0[figure].count })
                })
        case .bars(let name, let value):
            // Values of a closed, ordered set are compared across; names of campaigns are not.
            guard let category = columns.firstIndex(where: { $0.name == name }),
                columns[category].dimension == .conversionValue,
                let figure = columns.firstIndex(where: { $0.name == value }), rows.count <= Self.widest
            else {
                return nil
            }
            return ColumnChart(
                id: self.name + "-chart", title: title, unit: columns[figure].title.lowercased(),
                axis: columns[category].title.lowercased(),
                columns: rows.map { ColumnChart.Column($0.cells[category].label, $0.cells[figure].count) })
        case nil:
            return nil
        }
    }
}
