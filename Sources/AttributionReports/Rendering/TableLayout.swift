import Attribution
import AttributionStore

/// The figures of a table that fit beside its dimensions, and the width of each column.
struct TableLayout {
    /// The visible cells of the header, the rows and the totals.
    let lines: [[String]]
    /// The headings of the figures that do not fit.
    let omitted: [String]
    private let hasTotals: Bool
    private let widths: [Int]
    private let leading: Int
    private let style: TextStyle

    /// The space between two columns.
    private static let gap = 2
    /// The maximum lengths of a dimension's value, tried in order until the table fits.
    private static let limits = [60, 48, 40, 32, 24, 20, 16, 12, 10, 8, 6]

    /// Lays out the rows of a report.
    init(_ report: Report, _ style: TextStyle) {
        let columns = report.singleColumns
        let rows = report.rows.lazy.filter { _ in !report.request.dimensions.isEmpty }.map { row in
            Line(names: row.values.map { style.cell($0, limit: Self.limits[0]) }) {
                columns[$0].value(row.counts).text
            }
        }
        let names = report.request.dimensions.isEmpty ? [""] : report.request.dimensions.map(\.rawValue)
        let totals = Line(names: ["total"] + Array(repeating: "", count: names.count - 1)) {
            columns[$0].value(report.totals).text
        }
        self.init(names: names, figures: columns.map(\.name), rows, totals: totals, style)
    }

    /// A row: the values of its dimensions, and the text of each figure.
    struct Line {
        let names: [String]
        let figure: (Int) -> String
    }

    /// Lays out rows.
    ///
    /// - Parameters:
    ///   - names: The headings of the dimensions.
    ///   - figures: The headings of the figures.
    ///   - rows: The rows.
    ///   - totals: The last row, below a rule; nil for none.
    ///   - style: The width and characters.
    init(names: [String], figures: [String], _ rows: some Sequence<Line>, totals: Line?, _ style: TextStyle) {
        self.style = style
        leading = names.count
        // Excludes columns whose names alone do not fit, to avoid computing their cells.
        let candidates = Self.first(Array(figures.indices), from: names.map { min($0.count, 6) }, style) {
            figures[$0].count
        }
        var values: [[String]] = []
        var cells: [[String]] = []
        for row in rows {
            values.append(row.names)
            cells.append(candidates.map(row.figure))
        }
        if let totals {
            values.append(totals.names)
            cells.append(candidates.map(totals.figure))
        }
        let figureWidths = candidates.map { column in
            cells.reduce(figures[column].count) { max($0, $1[column].displayWidth) }
        }
        let leadingCells = Self.fitting([names] + values, beside: figureWidths.first ?? 0, style)
        let leadingWidths = names.indices.map { column in leadingCells.map { $0[column].displayWidth }.max() ?? 0 }
        let shown = Self.first(candidates, from: leadingWidths, style) { figureWidths[$0] }.count
        hasTotals = totals != nil
        omitted = Array(figures.dropFirst(shown))
        widths = leadingWidths + figureWidths.prefix(shown)
        lines = zip(leadingCells, [Array(figures.prefix(shown))] + cells).map { $0 + $1.prefix(shown) }
    }

    /// The prefix of elements that fit after some columns.
    private static func first<Element>(
        _ elements: [Element],
        from widths: [Int],
        _ style: TextStyle,
        width: (Element) -> Int
    ) -> [Element] {
        var used = widths.reduce(0) { $0 + $1 + gap } - gap
        return Array(
            elements.prefix { element in
                used += gap + width(element)
                return used <= style.width
            })
    }

    /// The cells of the dimensions, names first, shortened until one figure fits beside them; names are shortened only
    /// if shortening values is not enough.
    private static func fitting(_ cells: [[String]], beside figure: Int, _ style: TextStyle) -> [[String]] {
        func width(_ cells: [[String]]) -> Int {
            (cells.first ?? []).indices.reduce(figure) { sum, column in
                sum + gap + (cells.map { $0[column].displayWidth }.max() ?? 0)
            }
        }
        func cut(_ line: [String], _ limit: Int) -> [String] {
            line.map { style.shortened($0, to: limit) }
        }
        let values = limits.lazy.map { limit in cells.prefix(1) + cells.dropFirst().map { cut($0, limit) } }
        let all = limits.lazy.map { limit in cells.map { cut($0, limit) } }
        for candidate in [values.map(Array.init), all.map(Array.init)].joined() where width(candidate) <= style.width {
            return candidate
        }
        return cells.map { cut($0, limits.last ?? 0) }
    }

    /// Writes the table, with a rule below the header and above the totals.
    func write(to output: (String) -> Void) {
        let rule = line(widths.map { String(repeating: style.rule, count: $0) })
        for (index, cells) in lines.enumerated() {
            if index == 1 || (hasTotals && index == lines.count - 1 && index > 1) {
                output(rule)
            }
            output(line(cells))
        }
    }

    private func line(_ cells: [String]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() {
            let space = String(repeating: " ", count: widths[column] - cell.displayWidth)
            text += (column > 0 ? "  " : "") + (column < leading ? cell + space : space + cell)
        }
        while text.last == " " {
            text.removeLast()
        }
        return style.shortened(text, to: style.width) + "\n"
    }
}
