import Attribution
package import AttributionStore
package import StrictJSON

package enum ReportFormat: String, CaseIterable, Hashable, Sendable {
    /// Aligned columns for a terminal, as many as fit into its width.
    case table
    /// The rows of one section with a header line, RFC 4180; callers print remarks separately.
    case csv
    case json
    /// One object per line, distinguished by `type`.
    case ndjson
    case markdown
    /// A document of its own, without scripts and without anything to load; for standard reports.
    case html

    package static let ofFreeReports = allCases.filter { $0 != .html }

    /// Whether a value can be an object, as histograms need.
    var hasObjects: Bool {
        self == .json || self == .ndjson
    }

    /// Whether histograms can be shown as bars.
    var hasBars: Bool {
        self == .table || self == .markdown
    }
}

/// A report that can be written in every format.
package protocol RenderedReport: Sendable {
    /// What was counted.
    var selection: ReportRequest { get }
    /// The position up to which was counted.
    var position: LedgerPosition { get }
    /// When the last postback was recorded, in Unix milliseconds; nil if there is none, or not to be told.
    var recordedAtMilliseconds: Int64? { get }
    /// The version of the program that made it; nil if unknown.
    var programVersion: String? { get }
    /// Its tables, for formats in which a cell holds one value.
    var sections: [ReportSection] { get }
    /// Its tables for formats in which a cell may hold an object.
    var sectionsWithObjects: [ReportSection] { get }
    /// Problems of the store that affect the figures.
    var damage: [String] { get }
    /// That networks of others may be counted.
    var networkWarning: NetworkWarning? { get }
    /// The name of a standard report; nil for a free one, whose only section has no heading.
    var standardName: StandardReportName? { get }
    /// Whether every column is defined.
    var isExplained: Bool { get }
    /// The bar charts below the table; nil for none.
    var histograms: [Histogram]? { get }
    /// What is said before the sections, besides the title, the position and the warnings.
    var introduction: [String] { get }
    /// What is said after the sections.
    var conclusion: [String] { get }
    /// Which postbacks, days and filters.
    func title(_ style: TextStyle) -> String
    /// What a section has instead of a table; nil for its table.
    func emptyLine(_ section: ReportSection) -> String?
    /// The members of JSON that describe the request and the store.
    var scope: [(String, JSONText)] { get }
    var json: JSONText { get }
    /// The last object of NDJSON, with its type; nil for none.
    var lastObject: (type: String, members: [(String, JSONText)])? { get }
}

extension RenderedReport {
    /// The position, for who may know of all postbacks that it counts.
    package var shownPosition: LedgerPosition? {
        selection.isLimitedToApps ? nil : position
    }

    /// The report as text, ending with a newline.
    package func rendered(as format: ReportFormat, style: TextStyle = .document) -> String {
        var text = ""
        write(as: format, style: style) { text += $0 }
        return text
    }

    /// Writes the report in pieces, so that a large one need not fit in memory.
    package func write(
        as format: ReportFormat,
        style: TextStyle,
        csv: CSVStyle = .standard,
        to output: (String) -> Void
    ) {
        switch format {
        case .table: writeTable(style, to: output)
        case .csv: writeCSV(csv, to: output)
        case .json: output(json.pretty + "\n")
        case .ndjson: writeNDJSON(to: output)
        case .markdown: writeMarkdown(to: output)
        case .html: writeHTML(to: output)
        }
    }

    /// Writes the rows of the first section with a header line.
    private func writeCSV(_ style: CSVStyle, to output: (String) -> Void) {
        guard let section = sections.first else {
            return
        }
        let columns = SectionLayout(section).columns
        let delimiter = style.delimiter.text
        let names = columns.flatMap(\.flatNames).map { style.cell($0) }
        output((style.hasByteOrderMark ? "\u{FEFF}" : "") + names.joined(separator: delimiter) + "\r\n")
        for row in section.rows {
            // Appended cell by cell, because a report may have a million rows; figures need no quotes.
            var line = ""
            for column in columns {
                let cell = column.cell(row)
                if column.isText {
                    line += style.cell(cell.text)
                } else if column.column.kind.isRange {
                    line += cell.texts(isRange: true).map { style.figure($0) }.joined(separator: delimiter)
                } else {
                    line += style.figure(cell.text)
                }
                line += delimiter
            }
            _ = line.popLast()
            output(line + "\r\n")
        }
    }

    /// The position, with which the report can be repeated, and the version of the program.
    func asOfLine(_ style: TextStyle) -> String {
        let recordedAt = recordedAtMilliseconds.map { ", recorded \(Moment(milliseconds: $0).text)" } ?? ""
        let parts = [shownPosition.map { "As of \($0)\(recordedAt)" }, programVersion.map { "skan \($0)" }]
        return parts.compactMap(\.self).joined(separator: style.separator)
    }

    /// The member of JSON with the version of the program.
    var version: (String, JSONText) {
        ("skan-version", programVersion.map(JSONText.string) ?? .null)
    }

    /// The members of JSON with the position up to which was counted, and the warnings.
    var origin: [(String, JSONText)] {
        [
            ("as-of", shownPosition.map { .string($0.description) } ?? .null),
            ("recorded-at", recordedAtMilliseconds.map { .string(Moment(milliseconds: $0).text) } ?? .null),
            ("warnings", .array(warnings.map(JSONText.string))),
        ]
    }

    /// Everything that the figures have to be read with.
    package var warnings: [String] {
        if selection.isLimitedToApps, !damage.isEmpty {
            return ["a part of the postbacks cannot be read now, which may be missing here; the operator knows more"]
        }
        return damage + (networkWarning.map { [$0.text] } ?? [])
    }

    var warningLines: [String] {
        warnings.map { "WARNING: \($0)." }
    }
}

extension ReportSection {
    /// The number of rows left out, if any.
    var omittedRowsLine: String? {
        omittedRows == 0
            ? nil : "… and \(omittedRows) more row\(omittedRows == 1 ? "" : "s"); the totals include all rows."
    }

    /// The columns that anyone who has a postback can change, if any.
    var unsignedLine: String? {
        let names = columns.filter { $0.basis == .unsigned }.map(\.name)
        return names.isEmpty ? nil : "Not signed by Apple: \(names.joined(separator: ", "))."
    }

    /// A line for each column: what it counts, and who vouches for it.
    var definitions: [(column: ReportColumn, text: String)] {
        columns.map { column in
            let denominator = column.denominator.map { " Denominator: \($0)." } ?? ""
            return (column, "\(column.definition)\(denominator) (\(column.basis.meaning))")
        }
    }
}
