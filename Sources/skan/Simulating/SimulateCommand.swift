import ArgumentParser
import Attribution
import AttributionHarness
import AttributionReports
import AttributionStore
import Foundation
import StrictJSON

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Play Apple and the devices: make a day of signed postbacks, with faults, and post or write them.",
        discussion: """
            The postbacks are signed with test keys, made on first use in the folder --keys. A server counts them as \
            test, and only when it was started with --trust-test-key for both public keys. The same seed makes the \
            same postbacks, apart from the randomness inside ECDSA signatures. After posting, the report is held \
            against what was sent; any difference ends with status 1.

            Of 1000 distinct postbacks 50 are repeated one to three times, 10 are sent again with another conversion \
            value, 20 are tampered with, 10 are signed with a strange key, 10 name an unknown version, 10 are \
            malformed, 5 are no JSON, and 10 count in spite of a conversion value that is none; --faults scales these \
            shares.

            EXAMPLE
              skan simulate --count 2000 --post http://127.0.0.1:8080/skadnetwork/postbacks \\
                --report-url http://127.0.0.1:8081
            """
    )

    @Option(help: "How many distinct genuine postbacks.")
    var count = 2_000

    @Option(help: "Decides what is made.")
    var seed: UInt64 = 1

    @Option(help: "Scales the shares of repeats, forgeries and malformed bodies; 0 for genuine traffic alone.")
    var faults = 1.0

    @Option(help: "Folder of the test keys.", completion: .directory)
    var keys = "skan-test-keys"

    @Option(help: "Post to this URL.")
    var post: String?

    @Option(help: "How many requests are under way at most.")
    var concurrency = 32

    @Option(help: "The server's console, to hold its report against what was sent; SKAN_TOKEN may hold a token for it.")
    var reportUrl: String?

    @Option(help: "The server's store, to hold its report against what was sent.", completion: .file())
    var reportStore: String?

    @Option(help: "Write each transaction id answered 200 to this file as soon as it is.", completion: .file())
    var answers: String?

    @Option(
        help: "Write the postbacks, one a line, and what a report must say of them to this folder.",
        completion: .directory)
    var output: String?

    func validate() throws {
        guard (1...10_000_000).contains(count), (0...20).contains(faults), (1...1_024).contains(concurrency) else {
            throw ValidationError("expected --count 1…10000000, --faults 0…20, --concurrency 1…1024")
        }
        guard post != nil || output != nil else {
            throw ValidationError("expected --post URL or --output FOLDER")
        }
        guard reportUrl == nil || reportStore == nil else {
            throw ValidationError("expected one of --report-url and --report-store")
        }
    }

    func run() async throws {
        let standIn = try AppleStandIn(folder: keys)
        Terminal.progress("making \(count) postbacks…")
        let plan = try TrafficPlan(
            postbacks: count, seed: seed, shares: TrafficShares().scaled(by: faults), standIn: standIn)
        Terminal.progress("")
        if let output {
            try write(plan, to: output)
        }
        if let post {
            try await send(plan, to: post)
        }
    }

    // MARK: Writing

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

    // MARK: Sending

    private func send(_ plan: TrafficPlan, to url: String) async throws {
        let before = try await figures()
        let log = try answers.map(AnswerLog.init)
        let total = plan.deliveries.count
        let progress = ProgressCounter(total: total)
        let start = ContinuousClock.now
        let result = try await TrafficSender(url: url, concurrency: concurrency).send(plan.deliveries) { answer in
            log?.note(answer)
            progress.advance()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        Terminal.progress("")
        let verdicts = Recording.Status.allCases.map { "\($0.rawValue) \(result.durable[$0, default: 0])" }
        Terminal.write(
            "sent \(total) in \(seconds.fixed(places: 1)) s (\((Double(total) / seconds).fixed(places: 1))/s): "
                + verdicts.joined(separator: ", ") + ", refused \(result.refused), unanswered \(result.unanswered)\n")
        for answer in result.unexpectedAnswers {
            Terminal.write("unexpected: \(answer)\n")
        }
        var areAsPlanned = result.unexpectedCount == 0
        if let before, let after = try await figures() {
            let differences = before.differences(to: after, planned: try ReportFigures(expectedReport(plan)))
            differences.forEach { Terminal.write("difference: \($0)\n") }
            areAsPlanned = areAsPlanned && differences.isEmpty
            if differences.isEmpty {
                Terminal.write("the report agrees with what was sent in every figure\n")
            }
        }
        if !areAsPlanned {
            throw ExitStatus.negative
        }
    }

    /// The figures of the server's report now, or nil when none was named.
    private func figures() async throws -> ReportFigures? {
        let dimensions = TrafficPlan.dimensions
        if let reportUrl {
            let json = try await ConsoleClient(url: reportUrl, token: ProcessInfo.processInfo.environment["SKAN_TOKEN"])
                .testReport(by: dimensions.map(\.rawValue).joined(separator: ","))
            return try ReportFigures(json: json, dimensions: dimensions)
        }
        if let reportStore {
            let ledger = try LedgerReader(reportStore)
            let report = try await Reporter(ledger)
                .report(ReportRequest(dimensions: dimensions, traffic: .test))
            return try ReportFigures(report)
        }
        return nil
    }
}
