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
            let layout = TableLayout(section, style, showsEmpty: standardName == nil)
            let emptyLine = emptyLine(section)
            if let emptyLine {
                say([emptyLine])
            } else {
                say([layout.commonLine])
                layout.write(to: output)
            }
            if emptyLine == nil || standardName != nil {
                let count = layout.omitted.count
                let hidden = layout.omitted.first.map {
                    "… and \(count) more column\(count == 1 ? "" : "s"): --columns \($0),… or --format csv"
                }
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
