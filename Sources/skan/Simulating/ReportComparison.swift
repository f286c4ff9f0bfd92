import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import Foundation

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
