public import Attribution
import Foundation

extension Report {
    /// The name and version of the columns and keys; a change of meaning changes it.
    public static let schema = "skan.report/1"

    /// The report as text, ending in a newline.
    public func rendered(as format: ReportFormat) -> String {
        switch format {
        case .table: tableText
        case .csv: csvText
        case .json: json.pretty + "\n"
        case .ndjson: ndjsonText
        case .markdown: markdownText
        }
    }

    /// What became of the deliveries, in words, for the format that has no room for it.
    public var deliverySummary: String {
        deliveries.lines.joined(separator: "\n")
    }

    // MARK: JSON

    /// The report as one JSON object.
    public var json: JSONText {
        .object([
            "schema": .string(Self.schema),
            "provenance": .string(request.traffic.rawValue),
            "time-zone": .string(zoneName),
            "from": request.from.map { .string($0.description) } ?? .null,
            "to": request.through.map { .string($0.description) } ?? .null,
            "filters": .object(request.filters.map { ($0.dimension.rawValue, .string($0.value)) }),
            "unproven": .array(unprovenNames.map(JSONText.string)),
            "rows": .array(rows.map { .object(Self.members($0, request.dimensions)) }),
            "totals": .object(Self.members(totals)),
            "deliveries": deliveries.json,
        ])
    }

    private var ndjsonText: String {
        let scope: [(String, JSONText)] = [
            ("schema", .string(Self.schema)), ("provenance", .string(request.traffic.rawValue)),
            ("time-zone", .string(zoneName)), ("unproven", .array(unprovenNames.map(JSONText.string))),
        ]
        func line(_ type: String, _ members: [(String, JSONText)]) -> String {
            JSONText.object([("type", .string(type))] + scope + members).line + "\n"
        }
        let lines = rows.map { line("row", Self.members($0, request.dimensions)) }
        return lines.joined() + line("totals", Self.members(totals)) + line("deliveries", deliveries.members)
    }

    private static func members(_ row: TallyRow, _ dimensions: [ReportDimension]) -> [(String, JSONText)] {
        let values: [(String, JSONText)] = zip(dimensions, row.values).map { dimension, value in
            (dimension.rawValue, value.isEmpty ? .null : .string(value))
        }
        return values + members(row.metrics)
    }

    private static func members(_ metrics: Metrics) -> [(String, JSONText)] {
        ReportColumn.all.map { ($0.name, $0.value(metrics).json) }
    }

    // MARK: CSV

    private var csvText: String {
        let header = request.dimensions.map(\.rawValue) + ReportColumn.all.map(\.name)
        let lines = rows.map { $0.values + Self.cells($0.metrics, ReportColumn.all) }
        return ([header] + lines).map { $0.map(Self.csvCell).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func csvCell(_ text: String) -> String {
        let needsQuotes = text.contains { "\",\r\n".contains($0) }
        // A spreadsheet would run a cell that begins so; ids and domains never do, hostile ones might.
        let isFormula = text.first.map { "=+-@".contains($0) } ?? false && Double(text) == nil
        let safe = isFormula ? "'" + text : text
        return needsQuotes ? "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : safe
    }

    // MARK: Tables

    private var tableText: String {
        var text = title + "\n\n"
        if rows.isEmpty {
            text += "No postbacks recorded\(request.filters.isEmpty && request.from == nil ? " yet" : " for these").\n"
        } else {
            text += TextTable(grid(ReportColumn.table), leading: leadingColumns).text
            text += "\n" + conversionLines.joined(separator: "\n") + "\n"
        }
        return text + "\n" + ([unprovenLine] + deliveries.lines).joined(separator: "\n") + "\n"
    }

    private var markdownText: String {
        var text = "**\(title)**\n\n"
        text += TextTable(grid(ReportColumn.all), leading: leadingColumns).markdown + "\n"
        return text + ([unprovenLine] + deliveries.lines).map { $0 + "\n" }.joined(separator: "\n")
    }

    /// The dimensions and columns of this report that rest on fields Apple does not sign.
    private var unprovenNames: [String] {
        unprovenDimensions + ReportColumn.all.filter { !$0.isProven(in: totals) }.map(\.name)
    }

    /// Those it is broken down or filtered by, each once.
    private var unprovenDimensions: [String] {
        let used = Set(request.dimensions + request.filters.map(\.dimension))
        return ReportDimension.allCases.filter { used.contains($0) && !isProven($0) }.map(\.rawValue)
    }

    /// Whether Apple signs a dimension in every postback counted.
    private func isProven(_ dimension: ReportDimension) -> Bool {
        dimension.isProven && (dimension != .redownload || !hasUnprovenRedownloads)
    }

    private var hasUnprovenRedownloads: Bool {
        totals[.unprovenRedownloads] > 0
    }

    private var unprovenLine: String {
        "Not signed by Apple, so whoever holds a postback can change it: "
            + (unprovenDimensions.filter { $0 != ReportDimension.redownload.rawValue } + ["conversion values"]
            + (hasUnprovenRedownloads
                ? ["redownload in 1.0 (\(totals[.unprovenRedownloads]) of \(totals.knownRedownloads))"] : []))
            .joined(separator: ", ") + "."
    }

    private var leadingColumns: Int {
        max(1, request.dimensions.count)
    }

    /// Header, rows and totals as cells.
    private func grid(_ columns: [ReportColumn]) -> [[String]] {
        let names = request.dimensions.isEmpty ? [""] : request.dimensions.map(\.rawValue)
        let blanks = Array(repeating: "", count: names.count - 1)
        let body =
            request.dimensions.isEmpty
            ? []
            : rows.map { row in
                row.values.map { $0.isEmpty ? "–" : $0.shortened(to: 60) } + Self.cells(row.metrics, columns)
            }
        return [names + columns.map(\.name)] + body + [["total"] + blanks + Self.cells(totals, columns)]
    }

    private static func cells(_ metrics: Metrics, _ columns: [ReportColumn]) -> [String] {
        columns.map { $0.value(metrics).text }
    }

    private var title: String {
        let subject =
            switch request.traffic {
            case .apple: "Postbacks verified with Apple's keys"
            case .foreign: "FOREIGN postbacks, verified with Apple's keys for networks that are not ours"
            case .development: "DEVELOPMENT postbacks, verified with Apple's keys for development"
            case .test: "TEST postbacks, verified with test keys only"
            }
        var parts = [subject]
        switch (request.from, request.through) {
        case (nil, nil): parts.append("all days")
        case (let from?, nil): parts.append("from \(from)")
        case (nil, let through?): parts.append("to \(through)")
        case (let from?, let through?): parts.append("\(from) to \(through)")
        }
        parts.append("days of \(zoneName)")
        parts += request.filters.map { "\($0.dimension.rawValue) = \($0.value.isEmpty ? "none" : $0.value)" }
        return parts.joined(separator: " · ")
    }

    private var zoneName: String {
        request.timeZone.identifier == TimeZone.gmt.identifier ? "UTC" : request.timeZone.identifier
    }

    private var conversionLines: [String] {
        bars("installs", totals[.installs], Metrics.Counter.conversion)
            + bars("re-engagements", totals[.reengagements], Metrics.Counter.reengagementConversion)
    }

    /// The conversion values of all installs or re-engagements, each with a bar, and apart from them those that have
    /// none.
    private func bars(
        _ subject: String,
        _ count: Int64,
        _ counter: (Conversion) -> Metrics.Counter
    ) -> [String] {
        guard count > 0 else {
            return []
        }
        let entries = Conversion.allCases.map { ($0.description, totals[counter($0)]) }
        let most = max(1, entries.map(\.1).max() ?? 1)
        let width = String(most).count
        return ["Conversion values of \(subject)"]
            + entries.filter { $0.1 > 0 }.map { name, count in
                let bar = String(repeating: "█", count: Int((Double(count) / Double(most) * 30).rounded(.up)))
                let label = String(repeating: " ", count: 7 - name.count) + name
                let number = String(count)
                return "  \(label)  \(String(repeating: " ", count: width - number.count))\(number)  \(bar)"
            }
    }
}
