import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON

/// Compares a server's or a store's reports with what a scenario expects, breakdown by breakdown.
struct ReportComparison {
    /// Where the reports come from.
    enum Source {
        case console(url: String)
        case store(any LedgerReading)
    }

    private let source: Source
    private let views: [[ReportDimension]]
    private let days: [CalendarDay]
    private var before: [ReportFigures] = []

    /// Reads the reports before anything is sent.
    init(_ source: Source, days: [CalendarDay]) async throws {
        self.source = source
        self.days = days
        views = ExpectedReport.views.map { view in
            days.isEmpty ? view.filter { !$0.isTime } : view
        }
        before = try await read()
    }

    private func read() async throws -> [ReportFigures] {
        var figures: [ReportFigures] = []
        for view in views {
            switch source {
            case .console(let url):
                let token = ProcessInfo.processInfo.environment["SKAN_TOKEN"]
                let json = try await ConsoleClient(url: url, token: token)
                    .testReport(by: view.map(\.rawValue).joined(separator: ","))
                figures.append(try ReportFigures(json: json, dimensions: view))
            case .store(let ledger):
                let request = ReportRequest(dimensions: view, traffic: .test)
                figures.append(
                    try ReportFigures(
                        try await Reporter(ledger).report(request, limits: LedgerLimits(cells: 50_000_000)),
                        withRepeats: !days.isEmpty))
            }
        }
        if case .store(let ledger) = source {
            for day in days {
                let request = ReportRequest(from: day, through: day, traffic: .test)
                figures.append(
                    try ReportFigures(try await Reporter(ledger).report(request), withRepeats: true).deliveries)
            }
        }
        return figures
    }

    /// Every figure that did not grow as was expected.
    func differences(from expected: ExpectedReport) async throws -> [String] {
        let deliveries = expected.deliveryFigures(withRepeats: !days.isEmpty)
        var plans = views.map { view in
            ReportFigures(expected.figures(by: view).merging(deliveries) { $1 })
        }
        for day in days {
            plans.append(ReportFigures(expected.deliveryFigures(on: day, withRepeats: true)))
        }
        let after = try await read()
        var differences: [String] = []
        for (index, plan) in plans.enumerated() {
            let name =
                index < views.count
                ? "by \(views[index].map(\.rawValue).joined(separator: ","))" : "on \(days[index - views.count])"
            differences += before[index].differences(to: after[index], planned: plan).map { "\(name): \($0)" }
        }
        return differences
    }
}

/// The counts of a report by name, for comparing two reports, or a report with a plan.
struct ReportFigures {
    private let figures: [String: Int64]

    init(_ report: Report, withRepeats: Bool = false) throws {
        try self.init(
            json: Array(report.json.line.utf8), dimensions: report.request.dimensions, withRepeats: withRepeats)
    }

    /// Takes figures that were counted elsewhere, by their names in a report.
    init(_ figures: [String: Int64]) {
        self.figures = figures
    }

    /// Reads the figures out of a report in JSON; the delays of repeats depend on how long sending takes.
    init(json: [UInt8], dimensions: [ReportDimension], withRepeats: Bool = false) throws {
        guard let root = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any],
            root["schema"] as? String == Report.schema
        else {
            let beginning = String(decoding: json.prefix(200), as: UTF8.self)
            throw CommandFailure(
                "the answer begins with \(beginning.quotedIfEmpty.shortened(to: 60)), "
                    + "expected a report of schema \(Report.schema)",
                code: .unanswered, hint: "check that --report-url is the console of skan serve")
        }
        var figures: [String: Int64] = [:]
        func collect(_ value: Any, _ path: String) {
            if let members = value as? [String: Any] {
                for (name, member) in members where !name.hasSuffix("-rate") && !name.hasSuffix("-mean") {
                    collect(member, "\(path) \(name)")
                }
            } else if let number = value as? NSNumber {
                figures[path] = number.int64Value
            }
        }
        for row in root["rows"] as? [[String: Any]] ?? [] {
            let key = dimensions.map { row[$0.rawValue] as? String ?? "–" }.joined(separator: " ")
            let counts = row.filter { ReportDimension(rawValue: $0.key) == nil }
            collect(counts, "row \(key):")
        }
        collect(root["totals"] ?? [:], "totals:")
        // The number of deliveries not kept depends on earlier traffic.
        let left = withRepeats ? ["not-kept"] : ["not-kept", "repeats"]
        let counted = (root["deliveries"] as? [String: Any])?.filter { !left.contains($0.key) }
        collect(counted ?? [:], "deliveries:")
        self.figures = figures
    }

    /// The figures of deliveries alone.
    var deliveries: ReportFigures {
        ReportFigures(figures.filter { $0.key.hasPrefix("deliveries:") })
    }

    /// Every figure whose growth from `self` to `later` differs from `plan`.
    func differences(to later: ReportFigures, planned plan: ReportFigures) -> [String] {
        let names = Set(figures.keys).union(later.figures.keys).union(plan.figures.keys)
        return names.sorted().compactMap { name in
            let grown = later.figures[name, default: 0] - figures[name, default: 0]
            let planned = plan.figures[name, default: 0]
            return grown == planned ? nil : "\(name): the report grew by \(grown), \(planned) were sent"
        }
    }
}
