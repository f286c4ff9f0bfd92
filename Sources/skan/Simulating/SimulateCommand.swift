import ArgumentParser
import Attribution
import AttributionHarness
import AttributionReports
import AttributionServer
import AttributionStore
import Foundation
import SQLiteStore
import StrictJSON

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Play Apple and the devices: signed postbacks of days or months, with faults, posted or written.",
        discussion: """
            The postbacks are signed with test keys, made on first use in the folder --keys (or by skan simulate keys). \
            A server counts them as test, and only when it was started with --trust-test-key for both public keys: \
            the first genuine postback asks it, and nothing more is sent to one that answers otherwise. The same seed \
            makes the same postbacks, apart from the randomness inside ECDSA signatures. Afterwards the report is compared \
            with what was sent; any difference ends with status 1.

            Without a scenario file an ordinary month is played: of 1000 distinct postbacks 30 are repeated, 10 are sent \
            again with another conversion value, 20 are tampered with, 10 are signed with a strange key, 10 name another \
            version, 5 have a zero filled in, 5 a number in quotes, and 5 are cut off; --faults scales these shares.

            Devices are played on a clock of their own: ads, installs, conversion windows, delays and retries by Apple's \
            rules. A store gets the times of that clock, and so does a folder with --days, --from or a scenario file; \
            without them a folder gets the bodies alone. skan import and skan replay read both. Developers' copies go to \
            Apple's paths where an app asks for them.

            EXAMPLE
              skan simulate --count 2000 --post http://127.0.0.1:8080/skadnetwork/postbacks \\
                --report-url http://127.0.0.1:8081
              skan simulate --count 100000 --days 30 --from 2026-10-01 --store demo.sqlite
              skan simulate samples/scenarios/outage.json --store outage.sqlite
            """
    )

    @Argument(
        help: "A scenario file, as samples/scenarios has some; or keys, to make the test keys and nothing else.",
        completion: .file(extensions: ["json"]))
    var scenario: String?

    @Option(help: "How many distinct genuine postbacks (default: 2000); a scenario says it itself.")
    var count: Int?

    @Option(help: "Decides what is made.")
    var seed: UInt64 = 1

    @Option(help: "Scales the shares of repeats, forgeries and malformed bodies; 0 for genuine traffic alone.")
    var faults = 1.0

    @Option(help: "How many days (default: 30), ending today unless --from says otherwise.")
    var days: Int?

    @Option(help: "The first day, YYYY-MM-DD, of UTC.")
    var from: String?

    @Option(help: "Folder of the test keys.", completion: .directory)
    var keys = "skan-test-keys"

    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "Record in this store's file, at the times of the scenario; it is made when there is none.",
        completion: .file())
    var store: String?

    @Option(help: "Post to this server; with a path, to that URL, and developers' copies to Apple's paths.")
    var post: String?

    @Option(help: "Seconds of the scenario to post per second; by default as fast as it goes.")
    var pace: Double?

    @Option(help: "Maximum number of concurrent requests.")
    var concurrency = 32

    @Option(help: "The server's console, to compare its report with what was sent; SKAN_TOKEN may hold a token for it.")
    var reportUrl: String?

    @Option(
        help: "The server's store, to compare its report with what was sent: a file, or postgresql://HOST/DATABASE.",
        completion: .file())
    var reportStore: String?

    @Option(help: "Write each transaction id answered 200 to this file as soon as it is.", completion: .file())
    var answers: String?

    @Option(
        help: "Write the deliveries, one a line, and what a report must say of them to this folder.",
        completion: .directory)
    var output: String?

    func validate() throws {
        guard !makesKeys else {
            return
        }
        guard (1...10_000_000).contains(count ?? 1), (0...20).contains(faults), (1...1_024).contains(concurrency) else {
            throw ValidationError("expected --count 1…10000000, --faults 0…20, --concurrency 1…1024")
        }
        guard post != nil || output != nil || store != nil else {
            throw ValidationError("expected --post URL or --output FOLDER or --store FILE")
        }
        guard reportUrl == nil || reportStore == nil else {
            throw ValidationError("expected one of --report-url and --report-store")
        }
        guard [post, output, store].compactMap({ $0 }).count == 1 else {
            throw ValidationError("expected one of --post, --output and --store")
        }
        guard scenario == nil || count == nil else {
            throw ValidationError("expected no --count beside a scenario, which says how much there is")
        }
        guard (1...3_650).contains(days ?? 1), pace.map({ $0 > 0 && post != nil }) ?? true else {
            throw ValidationError("expected --days 1…3650, and --pace above 0 beside --post")
        }
    }

    func run() async throws {
        let store = try store.map {
            try StoreLocation($0).path(
                cure: "record in a file, and copy it: skan store copy FILE postgresql://HOST/DATABASE")
        }
        let standIn = try AppleStandIn(folder: keys)
        guard !makesKeys else {
            Terminal.say("skan: the test keys are in \(keys)")
            Terminal.say("skan: hint: skan serve \(trust)")
            return
        }
        let target = try target()
        var run = try ScenarioRun(try await world(), seed: seed, standIn: standIn)
        if let output {
            try await run.write(to: output, isTimed: isTimed)
        } else if let store {
            try await record(&run, in: store, trusting: standIn)
        } else if let target {
            try await send(&run, to: target)
        }
    }

    /// Whether only the test keys are made.
    private var makesKeys: Bool {
        scenario == "keys"
    }

    /// The options with which a server trusts the test keys.
    var trust: String {
        ["p192", "p256"].map { "--trust-test-key \(keys)/test-\($0).public.pem" }.joined(separator: " ")
    }

    // MARK: Scenarios

    /// Whether the user asked for the days of a scenario, and not just for postbacks.
    var isTimed: Bool {
        scenario != nil || days != nil || from != nil || store != nil || pace != nil
    }

    private func world() async throws -> World {
        guard isTimed else {
            return try await .plain(count: count ?? 2_000, faults: faults, seed: seed)
        }
        var played: Scenario?
        if let scenario {
            guard let file = FileManager.default.contents(atPath: scenario) else {
                throw CommandFailure("cannot read \(scenario)", hint: "samples/scenarios has scenarios")
            }
            played = try Scenario(file: Array(file))
            played?.scaleFaults(by: faults)
        }
        let days = days ?? played?.days ?? 30
        played?.days = days
        let start =
            try from.map { try CalendarDay.reading($0, field: "--from") } ?? .today.advanced(by: Int64(1 - days))
        if let played {
            return World(played, start: start, seed: seed)
        }
        Terminal.progress("playing \(days) days…")
        defer { Terminal.progress("") }
        return try await .plain(count: count ?? 2_000, days: days, faults: faults, start: start, seed: seed)
    }

    private func record(_ run: inout ScenarioRun, in store: String, trusting standIn: AppleStandIn) async throws {
        let begin = ContinuousClock.now
        let feed = try StoreFeed(store, trusting: standIn)
        let result: TrafficSender.Result
        let differences: [String]
        do {
            let reader = try SQLiteLedgerReader(feed.ledger.path)
            defer { reader.close() }
            let comparison = try await ReportComparison(.store(reader), days: run.days)
            result = try await run.record(in: feed)
            say(result, since: begin, "recorded")
            differences = try await comparison.differences(from: run.expected)
        } catch {
            _ = try? feed.ledger.close()
            throw error
        }
        try feed.ledger.close()
        try conclude(result, differences)
    }

    // MARK: Results

    /// Says how many deliveries were answered how.
    func say(_ result: TrafficSender.Result, since begin: ContinuousClock.Instant, _ verb: String) {
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let total = result.durable.values.reduce(result.refused + result.unanswered + result.cut, +)
        let verdicts = Recording.Status.allCases.map { "\($0.rawValue) \(result.durable[$0, default: 0])" }
        Terminal.write(
            "\(verb) \(total) in \(seconds.fixed(places: 1)) s (\((Double(total) / seconds).fixed(places: 1))/s): "
                + verdicts.joined(separator: ", ") + ", refused \(result.refused), unanswered \(result.unanswered)"
                + (result.cut > 0 ? ", cut \(result.cut)" : "") + "\n")
    }

    /// Prints what was unexpected, and ends with status 1 if there was anything; no differences mean that no report was
    /// compared.
    func conclude(_ result: TrafficSender.Result, _ differences: [String]?) throws {
        for surprise in result.unexpectedAnswers {
            Terminal.write("unexpected: \(surprise)\n")
        }
        for difference in differences?.prefix(100) ?? [] {
            Terminal.write("difference: \(difference)\n")
        }
        if differences?.isEmpty == true {
            Terminal.write("the report agrees with what was sent in every figure\n")
        }
        if result.unexpectedCount > 0 || differences?.isEmpty == false {
            throw ExitStatus.negative
        }
    }
}
