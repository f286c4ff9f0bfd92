import Attribution
import AttributionStore
import Foundation
package import StrictJSON

/// The parameters of a report as text, from a command line or a URL.
package struct ReportParameters: Sendable {
    /// Comma-separated names of dimensions; `campaign`, `source` and `install-day` each stand for two dimensions, and an
    /// empty text for totals only.
    package var by = "network,app,campaign"
    /// `DIMENSION=VALUE` or `DIMENSION!=VALUE`; an empty value matches postbacks without one.
    package var filters: [String] = []
    /// The days of receipt, such as `last-week`; nil if ``from`` and ``to`` define them.
    package var period: String?
    /// The first day of receipt, or a period that begins with it.
    package var from: String?
    /// The last day of receipt, inclusive, or a period that ends with it.
    package var to: String?
    /// `UTC` or a name of the tz database.
    package var timeZone = "UTC"
    /// The traffic to report: `apple`, `foreign`, `development` or `test`.
    package var provenance = "apple"
    /// Comma-separated names of figures; nil for all.
    package var columns: String?
    /// What to sort the rows by, with `-` before it for descending; nil for the order of the dimensions.
    package var sort: String?
    /// The maximum number of rows; nil for all.
    package var top: String?
    /// The position of an earlier report, up to which to count; nil for everything.
    package var asOf: String?
    /// Whether to show the conversion values as bars below the table.
    package var showsHistogram = false
    package var format = ReportFormat.table

    package init() {}
}

extension ReportRequest {
    /// Parses a request from parameters of a command line or a URL.
    package init(_ parameters: ReportParameters, nowMilliseconds: Int64) throws(FieldProblem) {
        let zone = try Self.timeZone(parameters.timeZone)
        self.init(
            dimensions: try Self.dimensions(parameters.by),
            conditions: try ConditionReader.conditions(parameters.filters),
            timeZone: zone,
            traffic: try Traffic(named: parameters.provenance, in: "provenance"),
            asOf: try Self.position(parameters.asOf),
            top: try Self.top(parameters.top),
            showsHistogram: parameters.showsHistogram
        )
        figures = try parameters.columns.map { text throws(FieldProblem) in
            try Self.figures(text, parameters.format)
        }
        sort = try parameters.sort.map { text throws(FieldProblem) in try Self.sort(text, dimensions) }
        if traffic == .development, let dimension = dimensions.first(where: \.isOfInstall) {
            throw FieldProblem(
                field: "by", found: "\(dimension.rawValue) of development postbacks",
                expected: "another dimension: windows of Developer Mode last minutes, not days")
        }
        guard !showsHistogram || parameters.format.hasBars else {
            throw FieldProblem(
                field: "histogram", found: "format \(parameters.format.rawValue)",
                expected: "table or markdown; in other formats, use by conversion-value for one row per value")
        }
        try readDays(parameters, today: CalendarDay(containing: nowMilliseconds, in: zone))
    }

    private mutating func readDays(_ parameters: ReportParameters, today: CalendarDay) throws(FieldProblem) {
        if let text = parameters.period {
            guard parameters.from == nil, parameters.to == nil else {
                throw FieldProblem(
                    field: "period", found: "\(text.shortened(to: 40)) together with from or to",
                    expected: "one or the other")
            }
            let period = try CalendarPeriod(text, field: "period", today: today)
            (from, through) = (period.first, period.last)
            return
        }
        if let text = parameters.from {
            from = try CalendarPeriod(text, field: "from", today: today).first
        }
        if let text = parameters.to {
            through = try CalendarPeriod(text, field: "to", today: today).last
        }
        if let from, let through, through < from {
            throw FieldProblem(field: "to", found: through.description, expected: "a day not before \(from)")
        }
    }

    private static func timeZone(_ name: String) throws(FieldProblem) -> TimeZone {
        guard let zone = name == "UTC" ? .gmt : TimeZone(identifier: name) else {
            throw FieldProblem(
                field: "time-zone", found: name.shortened(to: 40),
                expected: "UTC or a name of the tz database, for example Europe/Berlin"
                    + TimeZone.knownTimeZoneIdentifiers.suggestion(for: name))
        }
        return zone
    }

    private static func position(_ text: String?) throws(FieldProblem) -> LedgerPosition? {
        guard let text else {
            return nil
        }
        guard let position = LedgerPosition(text) else {
            throw FieldProblem(
                field: "as-of", found: text.shortened(to: 40),
                expected: "a position that an earlier report of this store names")
        }
        return position
    }

    private static func top(_ text: String?) throws(FieldProblem) -> Int? {
        guard let text else {
            return nil
        }
        guard let count = Int(text), (1...1_000_000_000).contains(count) else {
            throw FieldProblem(
                field: "top", found: text.shortened(to: 40), expected: "a number of rows, 1 or more")
        }
        return count
    }

    /// Parses a comma-separated list of dimensions, ignoring duplicates.
    static func dimensions(_ text: String) throws(FieldProblem) -> [ReportDimension] {
        var result: [ReportDimension] = []
        for name in text.split(separator: ",") {
            let named: [ReportDimension] =
                switch name {
                case "campaign": [.campaignID, .sourceIdentifier]
                case "source": [.sourceApp, .sourceDomain]
                case "install-day": [.installDays, .installDayEstimate]
                default: [try ReportDimension.reading(String(name), field: "by")]
                }
            result += named.filter { !result.contains($0) }
        }
        return result
    }

    /// Parses a comma-separated list of figures, ignoring duplicates.
    private static func figures(_ text: String, _ format: ReportFormat) throws(FieldProblem) -> [ReportFigure] {
        var result: [ReportFigure] = []
        for name in text.split(separator: ",").map(String.init) where !result.contains(where: { $0.name == name }) {
            let figure = try figure(name, "columns")
            guard !figure.isHistogram || format.hasObjects else {
                throw FieldProblem(
                    field: "columns", found: "\(name) with format \(format.rawValue)",
                    expected: "format json or ndjson; in other formats, use by conversion-value for one row per value")
            }
            result.append(figure)
        }
        guard !result.isEmpty else {
            throw FieldProblem(field: "columns", found: "nothing", expected: "names, for example installs,null-rate")
        }
        return result
    }

    /// Parses `installs`, `-installs`, `app` or `-app`.
    private static func sort(_ text: String, _ dimensions: [ReportDimension]) throws(FieldProblem) -> ReportSort {
        let isDescending = text.hasPrefix("-")
        let name = isDescending ? String(text.dropFirst()) : text
        if let index = dimensions.firstIndex(where: { $0.rawValue == name }) {
            return ReportSort(key: .dimension(index), isDescending: isDescending)
        }
        guard ReportDimension(rawValue: name) == nil else {
            throw FieldProblem(
                field: "sort", found: name, expected: "a figure or a dimension of the rows; add \(name) to by")
        }
        let figure = try figure(name, "sort", orAlso: dimensions.map(\.rawValue))
        guard !figure.isHistogram else {
            throw FieldProblem(field: "sort", found: name, expected: "a single figure, for example conversion-mean")
        }
        return ReportSort(key: .figure(figure), isDescending: isDescending)
    }

    private static func figure(
        _ name: String,
        _ field: String,
        orAlso others: [String] = []
    ) throws(FieldProblem) -> ReportFigure {
        guard let figure = ReportFigure.all.first(where: { $0.name == name }) else {
            let known = others + ReportFigure.all.map(\.name)
            throw FieldProblem(
                field: field, found: name.shortened(to: 40),
                expected: "one of \(known.joined(separator: ", "))" + known.suggestion(for: name))
        }
        return figure
    }
}

extension ReportDimension {
    static func reading(_ name: String, field: String) throws(FieldProblem) -> ReportDimension {
        guard let dimension = ReportDimension(rawValue: name) else {
            let known = allCases.map(\.rawValue) + ["campaign", "source", "install-day"]
            throw FieldProblem(
                field: field, found: name.shortened(to: 40),
                expected: "one of \(known.joined(separator: ", "))" + known.suggestion(for: name))
        }
        return dimension
    }
}
