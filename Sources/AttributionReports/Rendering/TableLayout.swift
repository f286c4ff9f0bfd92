/// The keys of a table, as many figures as fit beside them, and the width of each column.
///
/// Figures come first: keys that are the same in every row are said once, and the others are shortened as far as that
/// makes room for a figure. Values that differ never look the same.
struct TableLayout {
    /// The visible cells of the header, the rows and the totals.
    let lines: [[String]]
    /// The headings of the columns that do not fit.
    let omitted: [String]
    /// What is the same in every row and not in the table; nil for nothing.
    let commonLine: String?
    private let hasTotals: Bool
    private let widths: [Int]
    private let leading: Int
    private let style: TextStyle

    /// The space between two columns.
    private static let gap = 2
    /// The maximum lengths of a key, of which those that are not short are tried for the sake of further figures.
    private static let limits = (long: [60, 48, 40, 32, 24, 20, 16, 12, 10], short: [8, 6])
    /// The shortest heading of a key beside a long one.
    private static let heading = 12

    /// Lays out a section; one without keys has its totals alone.
    ///
    /// `showsEmpty` is whether figures that no row has are shown.
    init(_ section: ReportSection, _ style: TextStyle, showsEmpty: Bool) {
        self.style = style
        let layout = SectionLayout(section)
        let all = layout.columns.filter(\.isText)
        let rows = section.rows
        // A table without keys has its totals alone.
        let count = all.isEmpty ? 0 : rows.count
        let figures = layout.columns.filter { column in
            !column.isText && (showsEmpty || count == 0 || rows.contains { column.cell($0) != .absent })
        }
        // Excludes columns whose names alone do not fit, to avoid keeping their cells.
        let candidates = Self.fitting(figures.map(\.name.count), beside: [6], style)
        var values = all.map { _ in [String]() }
        var cells: [[String]] = []
        // In one pass: the rows of free reports are made on access.
        for row in rows.prefix(count) {
            for (index, column) in all.enumerated() {
                values[index].append(column.cell(row).text)
            }
            cells.append(Self.texts(figures.prefix(candidates), row, style))
        }
        let totals = section.totals.map { Self.texts(figures.prefix(candidates), $0, style) }
        let figureWidths = (0..<candidates).map { column in
            cells.reduce(max(figures[column].name.count, totals?[column].displayWidth ?? 0)) {
                max($0, $1[column].displayWidth)
            }
        }
        var keys = zip(all, values).map { KeyTexts($0.name, $1, style) }
        if keys.isEmpty {
            keys = [KeyTexts("", [], style)]
        }
        let label = section.totals == nil ? 0 : Self.total.count
        func shown(_ keys: [KeyTexts], _ limit: Int, _ heading: Int) -> Int {
            Self.fitting(figureWidths, beside: Self.widths(keys, limit, heading, label), style)
        }
        var common: [KeyTexts] = []
        if count > 1, shown(keys, 60, 60) < figures.count {
            common = keys.filter { $0.values.count == 1 }
            keys.removeAll { $0.values.count == 1 }
            if keys.isEmpty {
                keys = [common.removeLast()]
            }
        }
        var limits = (key: 60, heading: 60)
        var most = shown(keys, 60, 60)
        for limit in Self.limits.long {
            let fitting = shown(keys, limit, max(limit, Self.heading))
            if fitting > most {
                (most, limits) = (fitting, (limit, max(limit, Self.heading)))
            }
        }
        if most == 0 {
            let short = Self.limits.short.flatMap { [($0, Self.heading), ($0, $0)] }
            limits = short.first { shown(keys, $0.0, $0.1) > 0 } ?? (6, 6)
        }
        var hidden: [String] = []
        while keys.count > 1, Self.sum(Self.widths(keys, limits.key, limits.heading, label)) > style.width,
            let index = keys.indices.reversed().first(where: { Self.areDistinct(keys, without: $0, count) })
        {
            hidden.insert(keys.remove(at: index).name, at: 0)
        }
        let shortened = keys.map { $0.texts(limits.key) }
        let names = all.isEmpty ? [""] : style.distinct(keys.map(\.name), limit: limits.heading)
        let leadingWidths = Self.widths(keys, limits.key, limits.heading, label)
        let number = Self.fitting(figureWidths, beside: leadingWidths, style)
        hasTotals = totals != nil
        leading = keys.count
        omitted = figures.dropFirst(number).map(\.name) + hidden
        commonLine =
            common.isEmpty
            ? nil : "In every row: " + common.map { "\($0.name) \($0.texts(200)[0])" }.joined(separator: "; ") + "."
        widths = leadingWidths + figureWidths.prefix(number)
        let header = names + figures.prefix(number).map(\.name)
        let body = cells.enumerated().map { row, cells in
            zip(keys, shortened).map { $1[$0.indices[row]] } + cells.prefix(number)
        }
        let last = totals.map { [Self.total] + keys.dropFirst().map { _ in "" } + $0.prefix(number) }
        lines = [header] + body + [last].compactMap(\.self)
    }

    private static let total = "total"

    private static func texts(
        _ columns: ArraySlice<SectionLayout.Column>, _ row: ReportSectionRow, _ style: TextStyle
    ) -> [String] {
        columns.map { column in
            let text = column.cell(row).text
            return style.isASCII ? text.replacing("–", with: "-") : text
        }
    }

    /// How many columns of some widths fit after others.
    private static func fitting(_ columns: [Int], beside widths: [Int], _ style: TextStyle) -> Int {
        var used = sum(widths)
        return columns.prefix { width in
            used += gap + width
            return used <= style.width
        }.count
    }

    /// The width of columns with the space between them.
    private static func sum(_ widths: [Int]) -> Int {
        widths.reduce(0) { $0 + $1 + gap } - gap
    }

    private static func widths(_ keys: [KeyTexts], _ limit: Int, _ heading: Int, _ label: Int) -> [Int] {
        keys.enumerated().map { index, key in
            max(min(key.name.displayWidth, heading), key.width(limit), index == 0 ? label : 0)
        }
    }

    /// Whether rows can be told apart without a key.
    private static func areDistinct(_ keys: [KeyTexts], without index: Int, _ count: Int) -> Bool {
        let rest = keys.indices.filter { $0 != index }
        return Set((0..<count).map { row in rest.map { keys[$0].indices[row] } }).count
            == Set((0..<count).map { row in keys.map { $0.indices[row] } }).count
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
            let space = String(repeating: " ", count: max(0, widths[column] - cell.displayWidth))
            text += (column > 0 ? "  " : "") + (column < leading ? cell + space : space + cell)
        }
        while text.last == " " {
            text.removeLast()
        }
        return style.shortened(text, to: style.width) + "\n"
    }
}

/// The values of a key, each once.
private struct KeyTexts {
    let name: String
    /// The values in the order in which they first occur.
    let values: [String]
    /// The index of each row's value.
    let indices: [Int]
    private let width: Int
    private let style: TextStyle

    init(_ name: String, _ texts: [String], _ style: TextStyle) {
        self.name = name
        self.style = style
        var known: [String: Int] = [:]
        var values: [String] = []
        indices = texts.map { text in
            if let index = known[text] {
                return index
            }
            known[text] = values.count
            values.append(text)
            return values.count - 1
        }
        self.values = values
        width = values.reduce(0) { max($0, style.cell($1, limit: .max).displayWidth) }
    }

    /// The values, none longer than a limit.
    func texts(_ limit: Int) -> [String] {
        style.distinct(values, limit: limit)
    }

    func width(_ limit: Int) -> Int {
        min(width, limit)
    }
}
