import Attribution
import AttributionReports
import Foundation
import StrictJSON

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

    /// Reads the figures out of a report in JSON.
    ///
    /// - Parameters:
    ///   - json: The report.
    ///   - dimensions: The dimensions of its rows.
    ///   - withRepeats: Whether to include the delays of repeats, which depend on how long sending takes.
    /// - Throws: ``CommandFailure`` for anything other than a report.
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
