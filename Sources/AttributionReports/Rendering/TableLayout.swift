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

    /// Lays out a section; one without keys has its totals alone.
    init(_ section: ReportSection, _ style: TextStyle) {
        self.style = style
        let layout = SectionLayout(section)
        let keys = layout.columns.filter(\.isText)
        let figures = layout.columns.filter { !$0.isText }
        let names = keys.isEmpty ? [""] : keys.map(\.name)
        leading = names.count
        // Excludes columns whose names alone do not fit, to avoid keeping their cells.
        let candidates = Self.first(figures, from: names.map { min($0.count, 6) }, style) { $0.name.count }
        func texts(_ row: ReportSectionRow) -> [String] {
            candidates.map { column in
                let text = column.cell(row).text
                return style.isASCII ? text.replacing("–", with: "-") : text
            }
        }
        var values: [[String]] = []
        var cells: [[String]] = []
        for row in section.rows where !keys.isEmpty {
            values.append(keys.map { style.cell($0.cell(row).text, limit: Self.limits[0]) })
            cells.append(texts(row))
        }
        if let totals = section.totals {
            values.append(["total"] + names.dropFirst().map { _ in "" })
            cells.append(texts(totals))
        }
        let figureWidths = candidates.indices.map { column in
            cells.reduce(candidates[column].name.count) { max($0, $1[column].displayWidth) }
        }
        let leadingCells = Self.fitting([names] + values, beside: figureWidths.first ?? 0, style)
        let leadingWidths = names.indices.map { column in leadingCells.map { $0[column].displayWidth }.max() ?? 0 }
        let shown = Self.first(figureWidths, from: leadingWidths, style) { $0 }.count
        hasTotals = section.totals != nil
        omitted = figures.dropFirst(shown).map(\.name)
        widths = leadingWidths + figureWidths.prefix(shown)
        lines = zip(leadingCells, [candidates.map(\.name)] + cells).map { $0 + $1.prefix(shown) }
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
