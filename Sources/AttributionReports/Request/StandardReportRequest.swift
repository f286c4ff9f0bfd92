package import Attribution
import AttributionStore
package import StrictJSON

/// The parameters of a standard report as text, from a command line or a URL.
package struct StandardReportParameters: Sendable {
    package var name = ""
    /// What to count: `where`, the days, the time zone, the provenance and the position.
    package var selection = ReportParameters()
    /// The only section to show; nil for all.
    package var section: String?
    /// Whether to compare with the previous period.
    package var isCompared = true
    /// Whether to define every column.
    package var isExplained = false
    /// Whether ids that are of one campaign share a row.
    package var isRolledUp = true
    /// Comma-separated dimensions of the rows, instead of those of the report; nil for these.
    package var by: String?
    package var format = ReportFormat.table

    package init() {}
}

package struct StandardReportRequest: Sendable {
    package let name: StandardReportName
    /// What to count, without dimensions.
    package var selection: ReportRequest
    /// The only section to show; nil for all.
    package let section: String?
    /// Whether the figures are compared with the previous period, if the days have a beginning.
    package let isCompared: Bool
    /// Whether every column is defined in the output.
    package let isExplained: Bool
    /// Whether ids that are of one campaign share a row.
    package let isRolledUp: Bool
    /// The dimensions of the rows instead of those of the report; nil for these.
    package let by: [ReportDimension]?
    /// The columns to show, in order, and what to sort the rows by; both are checked with the answer.
    package let columns: [String]?
    package let sort: String?
    /// The time of the request, in Unix milliseconds.
    package let nowMilliseconds: Int64

    package init(
        name: StandardReportName,
        selection: ReportRequest = ReportRequest(),
        section: String? = nil,
        isCompared: Bool = true,
        isExplained: Bool = false,
        isRolledUp: Bool = true,
        by: [ReportDimension]? = nil,
        columns: [String]? = nil,
        sort: String? = nil,
        nowMilliseconds: Int64
    ) {
        self.name = name
        self.selection = selection
        self.section = section
        self.isCompared = isCompared
        self.isExplained = isExplained
        self.isRolledUp = isRolledUp
        self.by = by
        self.columns = columns
        self.sort = sort
        self.nowMilliseconds = nowMilliseconds
    }

    /// Parses a request from parameters of a command line or a URL.
    package init(_ parameters: StandardReportParameters, nowMilliseconds: Int64) throws(FieldProblem) {
        let name = try StandardReportName(named: parameters.name, in: "name")
        var selection = parameters.selection
        selection.by = ""
        // Its columns are those of its sections, with which they are checked.
        (selection.columns, selection.sort) = (nil, nil)
        let read = try ReportRequest(selection, nowMilliseconds: nowMilliseconds)
        try Self.check(read, of: name)
        guard !parameters.isExplained || parameters.format != .csv else {
            throw FieldProblem(
                field: "explain", found: "format csv",
                expected: "another format; a CSV file has no room for definitions")
        }
        self.init(
            name: name,
            selection: read,
            section: try Self.section(parameters.section, of: name, parameters.format),
            isCompared: parameters.isCompared,
            isExplained: parameters.isExplained,
            isRolledUp: parameters.isRolledUp,
            by: try parameters.by.map { text throws(FieldProblem) in try Self.dimensions(text, of: name) },
            columns: try parameters.selection.columns.map { text throws(FieldProblem) in try Self.columns(text) },
            sort: parameters.selection.sort,
            nowMilliseconds: nowMilliseconds)
    }

    /// Reads the dimensions that a report's rows can have instead of its own.
    private static func dimensions(
        _ text: String, of name: StandardReportName
    ) throws(FieldProblem) -> [ReportDimension] {
        let known = name.dimensions
        guard !known.isEmpty else {
            let others = StandardReportName.allCases.filter { !$0.dimensions.isEmpty }.map(\.rawValue)
            throw FieldProblem(
                field: "by", found: "\(text.shortened(to: 40)) with report \(name.rawValue)",
                expected: "no by, for its rows are fixed; a report without a name, \(others.joined(separator: " or ")) "
                    + "has rows by other dimensions")
        }
        let dimensions = try ReportRequest.dimensions(text)
        if let other = dimensions.first(where: { !known.contains($0) }) {
            throw FieldProblem(
                field: "by", found: "\(other.rawValue) with report \(name.rawValue)",
                expected: "one of " + known.map(\.rawValue).joined(separator: ", ")
                    + (other.isTime ? "; a report without a name has rows of days" : ""))
        }
        guard !dimensions.isEmpty else {
            throw FieldProblem(field: "by", found: "nothing", expected: "dimensions, for example app")
        }
        return dimensions
    }

    private static func columns(_ text: String) throws(FieldProblem) -> [String] {
        var names: [String] = []
        for name in text.split(separator: ",").map(String.init) where !names.contains(name) {
            names.append(name)
        }
        guard !names.isEmpty else {
            throw FieldProblem(field: "columns", found: "nothing", expected: "names, for example installs,null-rate")
        }
        return names
    }

    /// Refuses filters where they would not change the figures.
    private static func check(_ selection: ReportRequest, of name: StandardReportName) throws(FieldProblem) {
        if !name.countsPostbacks, let condition = selection.conditions.first {
            throw FieldProblem(
                field: "where", found: "\(condition.dimension.rawValue) with report \(name.rawValue)",
                expected: "no filter: deliveries in quarantine have no proven fields to select by")
        }
        if StandardReportPlan(name).hasCosts,
            let condition = selection.conditions.first(where: { ![.network, .app].contains($0.dimension) })
        {
            throw FieldProblem(
                field: "where", found: "\(condition.dimension.rawValue) with report \(name.rawValue)",
                expected: "network or app: impressions signed and spend are known for campaigns alone")
        }
    }

    /// Checks the name of a section; CSV has room for one only.
    private static func section(
        _ text: String?,
        of name: StandardReportName,
        _ format: ReportFormat
    ) throws(FieldProblem) -> String? {
        let known = StandardReportPlan(name).sectionNames
        guard let text else {
            guard format != .csv || known.count == 1 else {
                throw FieldProblem(
                    field: "section", found: "none, with format csv",
                    expected: "one of " + known.joined(separator: ", ") + "; a CSV file has room for one table")
            }
            return nil
        }
        guard known.contains(text) else {
            throw FieldProblem(
                field: "section", found: text.shortened(to: 40),
                expected: "one of " + known.joined(separator: ", ") + known.suggestion(for: text))
        }
        return text
    }
}

extension StandardReportName {
    /// The dimensions that its rows can have; none if they are fixed.
    var dimensions: [ReportDimension] {
        switch self {
        case .campaigns, .sources: ReportDimension.allCases.filter { !$0.isTime }
        // What ads cost is known of campaigns alone.
        case .performance: StandardReportPlan.campaignDimensions
        default: []
        }
    }
}

extension StandardReportRequest {
    /// Today, in the request's time zone.
    package var today: CalendarDay {
        CalendarDay(containing: nowMilliseconds, in: selection.timeZone)
    }

    /// The last day that counts for the length of the period: today if the period goes on.
    private var end: CalendarDay? {
        guard let from = selection.from else {
            return selection.through
        }
        let through = selection.through ?? max(today, from)
        return from <= today ? min(through, today) : through
    }

    /// The days of the period as far as they have begun; nil if it has no first day.
    package var period: CalendarPeriod? {
        guard let from = selection.from, let end else {
            return nil
        }
        return CalendarPeriod(first: from, last: end)
    }

    /// As many days, just before the period; nil if figures are not compared, or there is no first day.
    package var previous: CalendarPeriod? {
        guard isCompared, let period else {
            return nil
        }
        return CalendarPeriod(
            first: period.first.advanced(by: -period.count), last: period.first.advanced(by: -1))
    }

    /// Whether a day is in the requested days, also one beyond today.
    func contains(_ day: CalendarDay) -> Bool {
        selection.from.map { $0 <= day } ?? true && selection.through.map { day <= $0 } ?? true
    }

    /// The days of the period, for what is known by the day of UTC.
    var costDays: ClosedRange<CalendarDay> {
        let first = selection.from ?? CalendarDay(number: 0)
        // Far enough, and with room to count beyond it.
        return first...max(first, selection.through ?? CalendarDay(number: 1 << 32))
    }

    /// Whether some of the previous period is after the first postback.
    func isComparable(since firstDay: CalendarDay?) -> Bool {
        guard let previous, let firstDay else {
            return false
        }
        return previous.last >= firstDay
    }
}

extension StandardReportRequest {
    /// What limits the figures of a report.
    func notes(firstDay: CalendarDay?, _ plan: StandardReportPlan) -> [String] {
        var notes = name == .estimates ? [Estimation.method] : []
        if isCompared, period == nil {
            notes.append("Nothing is compared: without a first day there is no previous period.")
        }
        if let period, let through = selection.through, through > period.last {
            notes.append(
                "The period ends on \(through); the previous one has as many days as have begun, \(period.count).")
        }
        if plan.countsPostbacks {
            notes += beginning(firstDay).map { [$0] } ?? []
        }
        if plan.hasDeliveries, !selection.conditions.isEmpty {
            notes.append("Deliveries are left out: those in quarantine have no proven fields to select by.")
        } else if plan.hasDeliveries, selection.asOf != nil {
            notes.append("Deliveries are as of now, not as of the position.")
        }
        if plan.hasCosts, selection.asOf != nil {
            notes.append("Impressions signed and spend are as of now, not as of the position.")
        }
        return notes
    }

    /// Says that the period, or the previous one, begins before the first postback.
    private func beginning(_ firstDay: CalendarDay?) -> String? {
        let those = selection.conditions.isEmpty ? "" : " that the filters select"
        guard let firstDay else {
            return "There is no postback\(those) up to the end of the period."
        }
        guard let period else {
            return nil
        }
        if period.first < firstDay {
            return "The period begins on \(period.first), before the first postback\(those), received on \(firstDay)."
        }
        guard let previous, previous.first < firstDay else {
            return nil
        }
        guard isComparable(since: firstDay) else {
            return "There is nothing to compare with: the first postback\(those) was received on \(firstDay)."
        }
        return "The previous period begins on \(previous.first), before the first postback\(those), received on "
            + "\(firstDay): its figures are not those of \(previous.count) days."
    }
}
