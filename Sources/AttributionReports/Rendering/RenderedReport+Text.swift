import Attribution
import AttributionStore

extension RenderedReport {
    /// Writes the report for a terminal, with lines no wider than the style's width.
    func writeTable(_ style: TextStyle, to output: (String) -> Void) {
        func say(_ lines: [String?]) {
            output(style.wrapped(lines).map { $0 + "\n" }.joined())
        }
        say([[standardName?.title, title(style)].compactMap(\.self).joined(separator: style.separator)])
        say([asOfLine(style)] + (standardName == nil ? [] : warningLines) + introduction)
        for section in sections {
            output("\n")
            if standardName != nil {
                say(["\(section.title) (\(section.name)): \(section.meaning)"])
                output("\n")
            }
            let layout = TableLayout(section, style)
            let emptyLine = emptyLine(section)
            if let emptyLine {
                say([emptyLine])
            } else {
                layout.write(to: output)
            }
            if emptyLine == nil || standardName != nil {
                let hidden = layout.omitted.first.map { omittedColumnsLine(layout.omitted.count, first: $0) }
                say([section.omittedRowsLine, hidden])
            }
            if let histograms, emptyLine == nil {
                output("\n" + histograms.map { $0.lines(style).joined() }.joined())
            }
            if standardName != nil {
                say(section.notes + [section.unsignedLine])
            }
            if isExplained {
                say(section.definitions.map { "\($0.column.name): \($0.text)" })
            }
        }
        if !conclusion.isEmpty {
            output("\n")
            say(conclusion)
        }
    }

    /// Writes the report as Markdown, a table for each section.
    func writeMarkdown(to output: (String) -> Void) {
        let style = TextStyle(width: TextStyle.widths.upperBound)
        func paragraphs(_ lines: [String?]) {
            lines.forEach { line in line.map { output("\n" + $0.escapedMarkdown + "\n") } }
        }
        if let standardName {
            output("# \(standardName.title)\n")
            paragraphs([title(style), asOfLine(style)] + warningLines + introduction)
        } else {
            output("**\(title(style).escapedMarkdown)**\n")
            paragraphs([asOfLine(style)])
        }
        for section in sections {
            if standardName != nil {
                output("\n## \(section.title)\n")
                paragraphs([section.meaning])
            }
            output("\n")
            writeMarkdown(section, style, to: output)
            if let histograms {
                // Indented as a code block.
                output("\n" + histograms.flatMap { $0.lines(style) }.map { "    \($0)" }.joined())
            }
            paragraphs([section.omittedRowsLine])
            if standardName != nil {
                paragraphs(section.notes + [section.unsignedLine])
            }
            if isExplained {
                output("\n")
                section.definitions.forEach { output("- `\($0.column.name)`: \($0.text.escapedMarkdown)\n") }
            }
        }
        paragraphs(conclusion)
    }

    private func writeMarkdown(_ section: ReportSection, _ style: TextStyle, to output: (String) -> Void) {
        let layout = SectionLayout(section)
        // A table without keys has its totals alone.
        let hasKeys = layout.columns.contains(where: \.isText)
        func write(_ cells: [String]) {
            output("| " + cells.joined(separator: " | ") + " |\n")
        }
        write((hasKeys ? [] : [""]) + layout.columns.map(\.name.escapedMarkdown))
        write((hasKeys ? [] : [":--"]) + layout.columns.map { $0.isText ? ":--" : "--:" })
        for row in section.rows where hasKeys {
            write(
                layout.columns.map { column in
                    let text = column.cell(row).text
                    return (column.isText ? style.cell(text, limit: 60) : text).escapedMarkdown
                })
        }
        if let totals = section.totals {
            write((hasKeys ? [] : ["total"]) + layout.totals(totals).map(\.escapedMarkdown))
        }
    }
}

extension String {
    /// The text with the non-ASCII characters of our messages replaced, if the style is ASCII.
    func inCharacters(of style: TextStyle) -> String {
        style.isASCII ? replacing("…", with: style.ellipsis) : self
    }

    /// The text with the characters escaped that would end a cell, or begin markup or HTML.
    fileprivate var escapedMarkdown: String {
        var result = ""
        for scalar in unicodeScalars {
            if "|\\<>*[]`_&#".unicodeScalars.contains(scalar) {
                result += "\\"
            }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}

/// A bar chart of the conversion values of installs or re-engagements.
package struct Histogram {
    private let subject: String
    /// The conversions that occur, and their counts.
    private let entries: [(name: String, count: Int64)]

    private static let longestBar = 30.0

    /// The histograms that are not empty.
    static func all(_ totals: Counts) -> [Histogram] {
        [
            Histogram("installs", totals, Counts.Counter.conversion),
            Histogram("re-engagements", totals, Counts.Counter.reengagementConversion),
        ].filter { !$0.entries.isEmpty }
    }

    private init(_ subject: String, _ totals: Counts, _ counter: (Conversion) -> Counts.Counter) {
        self.subject = subject
        entries = Conversion.allCases.map { ($0.description, totals[counter($0)]) }.filter { $0.1 > 0 }
    }

    /// A heading and a line for each value.
    func lines(_ style: TextStyle) -> [String] {
        let most = entries.map(\.count).max() ?? 1
        let width = String(most).count
        return ["Conversion values of \(subject)\n"]
            + entries.map { name, count in
                let length = Int((Double(count) / Double(most) * Self.longestBar).rounded(.up))
                let label = String(repeating: " ", count: max(0, 7 - name.count)) + name
                let number = String(repeating: " ", count: width - String(count).count) + String(count)
                return style.shortened(
                    "  \(label)  \(number)  \(String(repeating: style.bar, count: length))", to: style.width) + "\n"
            }
    }
}

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
