import Attribution
import AttributionHarness
import AttributionReports
import AttributionServer
import AttributionStore
import Foundation
import StrictJSON

/// A flat day of traffic without times, written or posted.
struct PlainDay {
    let command: SimulateCommand
    let standIn: AppleStandIn

    func run() async throws {
        let count = command.count ?? 2_000
        let target = try command.target()
        Terminal.progress("making \(count) postbacks…")
        let plan = try TrafficPlan(
            postbacks: count, seed: command.seed, shares: TrafficShares().scaled(by: command.faults),
            standIn: standIn)
        Terminal.progress("")
        if let output = command.output {
            try write(plan, to: output)
        }
        if let target {
            try await send(plan, to: target)
        }
    }

    private func write(_ plan: TrafficPlan, to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lines = plan.deliveries.map { $0.body + [UInt8(ascii: "\n")] }
        try Data(lines.joined()).write(to: URL(fileURLWithPath: "\(folder)/postbacks.ndjson"))
        let expected = expectedReport(plan).json.pretty + "\n"
        try Data(expected.utf8).write(to: URL(fileURLWithPath: "\(folder)/expected-report.json"))
        Terminal.say("skan: wrote \(lines.count) bodies to \(folder)/postbacks.ndjson, and expected-report.json")
    }

    private func expectedReport(_ plan: TrafficPlan) -> Report {
        Report(
            request: ReportRequest(dimensions: TrafficPlan.dimensions, traffic: .test),
            rows: plan.rows.map { LedgerRow(values: $0.key, counts: $0.value) },
            deliveries: plan.counts
        )
    }

    private func send(_ plan: TrafficPlan, to target: DeliveryTarget) async throws {
        let before = try await figures()
        let log = try command.answers.map(AnswerLog.init)
        let progress = ProgressCounter(total: plan.deliveries.count)
        let begin = ContinuousClock.now
        let sender = TrafficSender(target: target, concurrency: command.concurrency)
        let result = try await command.distrusted {
            try await sender.send(plan.deliveries) { answer in
                log?.note(answer)
                progress.advance()
            }
        }
        Terminal.progress("")
        command.say(result, since: begin, "sent")
        var differences: [String]?
        if let before, let after = try await figures() {
            differences = before.differences(to: after, planned: try ReportFigures(expectedReport(plan)))
        }
        try command.conclude(result, differences)
    }

    /// The figures of the server's report now, or nil when none was named.
    private func figures() async throws -> ReportFigures? {
        let dimensions = TrafficPlan.dimensions
        if let url = command.reportUrl {
            let json = try await ConsoleClient(url: url, token: ProcessInfo.processInfo.environment["SKAN_TOKEN"])
                .testReport(by: dimensions.map(\.rawValue).joined(separator: ","))
            return try ReportFigures(json: json, dimensions: dimensions)
        }
        if let store = command.reportStore {
            let ledger = try StoreLocation(store).makeReader()
            let report = try await Reporter(ledger)
                .report(ReportRequest(dimensions: dimensions, traffic: .test))
            return try ReportFigures(report)
        }
        return nil
    }
}
