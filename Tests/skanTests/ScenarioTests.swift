import Foundation
import TestSupport
import Testing

@Suite("Scenarios, played end to end")
struct ScenarioTests: FolderSuite {
    static let samples = CommandTests.root.appendingPathComponent("samples/scenarios")
    static let agreement = "the report agrees with what was sent in every figure\n"

    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func simulate(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(["simulate"] + arguments + ["--keys", "keys"])
    }

    private func sample(_ name: String) -> String {
        Self.samples.appendingPathComponent("\(name).json").path
    }

    @Test(
        "A store that is given a scenario's postbacks at its times reports what was sent, figure by figure",
        arguments: ["launch", "small-network", "fraud-wave", "migration", "outage", "schema-change"])
    func store(_ name: String) throws {
        let outcome = try simulate(
            sample(name), "--days", "26", "--from", "2026-09-01", "--store", "skan.sqlite")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasSuffix(Self.agreement))
        #expect(outcome.output.contains("unanswered 0"))
        let report = try skan(
            ["report", "--store", "skan.sqlite", "--test", "--by", "day", "--columns", "postbacks", "--format", "csv"])
        #expect(report.output.contains("2026-09-26"))
        #expect(!report.output.contains("2026-08") && !report.output.contains("2026-09-27"))
        let recount = try skan(["recount", "--store", "skan.sqlite"] + SkanServer.testKeys)
        #expect(recount.output.hasSuffix("differences: 0\n"), "\(recount)")
    }

    @Test(
        "A scenario that is written and imported is reported as one that is recorded",
        arguments: ["launch", "small-network", "fraud-wave", "migration", "outage", "schema-change"])
    func imported(_ name: String) throws {
        let from = ["--days", "24", "--from", "2026-09-01", "--keys", "keys"]
        let direct = try skan(["simulate", sample(name), "--store", "direct.sqlite"] + from)
        #expect(direct.status == 0, "\(direct)")
        let written = try skan(["simulate", sample(name), "--output", "out"] + from)
        #expect(written.status == 0, "\(written)")
        let imported = try skan(["import", "--store", "imported.sqlite", "out/postbacks.ndjson"] + SkanServer.testKeys)
        // What a server refuses as no JSON is named as what cannot be used.
        #expect(imported.status == (direct.output.contains("refused 0,") ? 0 : 1), "\(imported)")
        for view in ["day,network,version", "app,recipient,sequence-index", "source-identifier,conversion-value"] {
            func report(_ store: String) throws -> [Substring] {
                let outcome = try skan(["report", "--store", store, "--test", "--by", view, "--format", "json"])
                #expect(outcome.status == 0, "\(outcome)")
                // The position names the store, and when it was recorded.
                return outcome.output.split(separator: "\n").filter {
                    !$0.contains("\"as-of\"") && !$0.contains("recorded-at")
                }
            }
            let (expected, found) = (try report("direct.sqlite"), try report("imported.sqlite"))
            #expect(expected == found && expected.count > 10, "\(view)")
        }
    }

    @Test("While the server is down nothing arrives; afterwards everything does, once")
    func outage() throws {
        func recorded(_ scenario: String, _ store: String) throws -> [String: Int] {
            let outcome = try simulate(scenario, "--from", "2026-09-01", "--store", store, "--faults", "0")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(!outcome.errors.contains("gave up"))
            let report = try skan(
                ["report", "--store", store, "--test", "--by", "day", "--columns", "postbacks", "--format", "csv"])
            var days: [String: Int] = [:]
            for line in report.output.split(whereSeparator: \.isNewline) {
                let cells = line.split(separator: ",")
                if let day = cells.first { days[String(day)] = cells.last.flatMap { Int($0) } }
            }
            return days
        }
        // The same devices with a server that is always there.
        let text = try String(contentsOfFile: sample("outage"), encoding: .utf8)
            .replacingOccurrences(of: "\"outages\": [{\"from\": 20, \"days\": 3}]", with: "\"outages\": []")
        try write(text, to: "calm.json")
        let (calm, down) = (try recorded("calm.json", "calm.sqlite"), try recorded(sample("outage"), "down.sqlite"))
        for day in ["2026-09-20", "2026-09-21", "2026-09-22"] {
            #expect(down[day, default: 0] == 0)
            #expect(calm[day, default: 0] > 0)
        }
        // What came while it was down comes within four days; days after that are as they would have been.
        func through(_ day: String, _ days: [String: Int]) -> Int {
            days.filter { $0.key.hasPrefix("2026") && $0.key <= day }.values.reduce(0, +)
        }
        #expect(through("2026-09-30", calm) == through("2026-09-30", down))
    }

    @Test("The plain case fills a store with exactly as many postbacks as were asked for, on the days that were named")
    func plain() throws {
        let outcome = try simulate(
            "--count", "700", "--days", "10", "--from", "2026-10-01", "--store", "demo.sqlite", "--faults", "2")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains(": recorded 700, "))
        #expect(outcome.output.hasSuffix(Self.agreement))
        // What is there already does not disturb the comparison.
        let more = try simulate(
            "--count", "50", "--seed", "2", "--days", "10", "--from", "2026-10-01", "--store", "demo.sqlite")
        #expect(more.status == 0 && more.output.hasSuffix(Self.agreement), "\(more)")
    }

    @Test("A scenario written to a folder comes with the times of receipt and the expected report")
    func output() throws {
        let outcome = try simulate(sample("small-network"), "--days", "20", "--output", "out")
        #expect(outcome.status == 0, "\(outcome)")
        let days = try String(contentsOfFile: folder.path("out/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n").map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
                #expect(object?["body"]?.hasPrefix("{") == true && object?["recipient"] == "network")
                return (object?["received-at"] ?? "").prefix(10)
            }
        #expect(!days.isEmpty && days == days.sorted())
        // Without --from the last day is today.
        let now = Date().timeIntervalSince1970
        let first = Date(timeIntervalSince1970: now - 21 * 86_400).formatted(.iso8601).prefix(10)
        let last = Date(timeIntervalSince1970: now + 86_400).formatted(.iso8601).prefix(10)
        #expect(days.allSatisfy { (first...last).contains($0) })
        let expected = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: folder.path("out/expected-report.json"))))
        #expect((expected as? [String: Any])?["schema"] as? String == "skan.expected/1")
    }

    @Test("Posted to a server, slowly and with cut connections too, a scenario ends as expected")
    func post() throws {
        _ = try skan(["simulate", "keys", "--keys", "keys"])
        let server = try SkanServer(in: folder)
        let outcome = try simulate(
            sample("outage"), "--days", "3", "--post", server.url, "--report-url", server.console)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains(", cut ") && outcome.output.hasSuffix(Self.agreement))
        // A day in a second, by the clock of the scenario.
        let begin = ContinuousClock.now
        let paced = try simulate(
            sample("small-network"), "--days", "3", "--pace", "86400", "--post", server.url, "--report-url",
            server.console)
        #expect(paced.status == 0 && paced.output.hasSuffix(Self.agreement), "\(paced)")
        #expect(ContinuousClock.now - begin > .seconds(1.5))
    }

    @Test(
        "A server that does not trust the test keys is sent one genuine postback and nothing more",
        arguments: [["--days", "2", "--count", "50"], ["--count", "50"]])
    func distrust(_ arguments: [String]) throws {
        let server = try SkanServer(in: folder, arguments: [])
        let outcome = try skan(["simulate", "--keys", "keys", "--post", server.url] + arguments)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.contains("the first genuine postback was answered 200 quarantined by "))
        let hint = "skan: hint: skan serve --store skan.sqlite --trust-test-key keys/test-p192.public.pem"
        #expect(outcome.errors.contains(hint))
        let report = try skan(["report", "--store", "skan.sqlite", "--by", "", "--format", "json"])
        let object = try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any]
        #expect((object?["deliveries"] as? [String: Any])?["received"] as? Int == 1, "\(report.output)")
    }

    @Test(
        "A server that cannot be meant is named with the cure",
        arguments: [
            ("127.0.0.1:PORT", "--post: found 127.0.0.1:", "for example http://127.0.0.1:"),
            ("http://127.0.0.1:PORT/elsewhere", ": it has no such path; nothing", "--post without a path takes those"),
            (
                "http://127.0.0.1:9", "no answer from http://127.0.0.1:9/",
                "skan serve --store skan.sqlite --trust-test-key keys/"
            ),
        ])
    func noServer(_ url: String, _ message: String, _ hint: String) throws {
        _ = try skan(["simulate", "keys", "--keys", "keys"])
        let server = try SkanServer(in: folder)
        let outcome = try simulate("--count", "20", "--post", url.replacing("PORT", with: "\(server.port)"))
        #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome)")
        #expect(outcome.errors.contains("skan: hint: \(hint)"), "\(outcome)")
    }

    @Test("A redirect is not followed, and named with where it leads")
    func redirect() async throws {
        let away = "send HTTP/1.1 308 Moved\r\nLocation: https://b.example/in\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer([["read", away, "read"]])
        let (url, folder) = (server.url, folder.url)
        let outcome = try await blocking {
            try SkanProcess.run(["simulate", "--keys", "keys", "--count", "20", "--post", url], in: folder)
        }
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors.contains(": it redirects to https://b.example/in; nothing more was sent"), "\(outcome)")
        #expect(outcome.errors.contains("skan: hint: redirects are not followed: give --post the address"))
        #expect(try await server.end().filter { $0.contains(" POST ") || $0.hasSuffix("(cut)") }.count == 2)
    }

    @Test("A URL without a path is a server with its own paths")
    func withoutPath() throws {
        _ = try skan(["simulate", "keys", "--keys", "keys"])
        let server = try SkanServer(in: folder)
        let outcome = try simulate(
            sample("launch"), "--days", "3", "--post", "http://127.0.0.1:\(server.port)", "--report-url", server.console
        )
        #expect(outcome.status == 0 && outcome.output.hasSuffix(Self.agreement), "\(outcome)")
    }

    @Test("A mistake in a scenario is named with its cure")
    func mistake() throws {
        try Data("{\"scenario\": \"x\", \"dais\": 3}".utf8)
            .write(to: folder.url.appendingPathComponent("x.json"))
        let outcome = try simulate("x.json", "--store", "skan.sqlite")
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.hasPrefix("skan: error: dais: found the number 3, expected one of the names scenario, about")
        )
        #expect(outcome.errors.hasSuffix("skan: hint: write days\n"))
        #expect(try simulate("none.json", "--store", "s").errors.contains("cannot read none.json"))
    }

    @Test("Keys are made once, and a server is told of them")
    func keys() throws {
        let first = try skan(["simulate", "keys", "--keys", "made"])
        #expect(first.status == 0 && first.errors.contains("--trust-test-key made/test-p256.public.pem"), "\(first)")
        let key = try Data(contentsOf: URL(fileURLWithPath: folder.path("made/test-p256.pem")))
        #expect(try skan(["simulate", "keys", "--keys", "made"]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("made/test-p256.pem"))) == key)
    }
}

@Suite("The demo of two months")
struct DemoCommandTests {
    private let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    /// Starts the demo, reads until the page is served, and returns its address.
    private func start() throws -> (demo: ChildProcess, console: String) {
        let demo = ChildProcess(limit: .seconds(120))
        let errors = Pipe()
        demo.executableURL = SkanProcess.binary
        demo.arguments = ["demo", "--folder", "made", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0"]
        demo.currentDirectoryURL = folder.url
        demo.standardError = errors
        try demo.run()
        var text = ""
        while !text.contains("Control-C") {
            let more = errors.fileHandleForReading.availableData
            try #require(!more.isEmpty, "\(text)")
            text += String(decoding: more, as: UTF8.self)
        }
        let address = try #require(text.firstMatch(of: #/http://[0-9.:]+/#))
        return (demo, String(address.output))
    }

    @Test("The page without tokens is served on this machine alone, and the hint names what the demo has")
    func loopbackOnly() throws {
        let outcome = try SkanProcess.run(["demo", "--folder", "made", "--console", "0.0.0.0:0"], in: folder.url)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("listens on this machine alone") && !outcome.errors.contains("--tokens"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("made")))
    }

    private func ask(_ console: String, _ path: String) throws -> String {
        try SkanProcess.run(SkanProcess.curl, ["-s", "--max-time", "60", console + path], in: folder.url).output
    }

    /// The sections of the report on costs.
    private static func sections(_ text: String) throws -> [String: [String: Any]] {
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
        let sections = try #require(object["sections"] as? [[String: Any]], "\(text)")
        return Dictionary(uniqueKeysWithValues: sections.map { ($0["section"] as? String ?? "", $0) })
    }

    private static func number(_ value: Any?) -> Double? {
        (value as? String).flatMap { Double($0) } ?? (value as? NSNumber)?.doubleValue
    }

    /// Every figure follows from others, and has a size that a person believes.
    private static func check(_ costs: [String: [String: Any]]) throws {
        let impressions = try #require(costs["impressions"]?["rows"] as? [[String: Any]])
        let totals = try #require(costs["impressions"]?["totals"] as? [String: Any])
        let known = impressions.filter { !($0["impressions"] is NSNull) }
        #expect(known.count >= 5)
        #expect(number(totals["impressions"]) == known.compactMap { number($0["impressions"]) }.reduce(0, +))
        #expect(number(totals["installs"]) == impressions.compactMap { number($0["installs"]) }.reduce(0, +))
        for row in known where row["app"] as? String == "525463029" {
            // More installs than ads, or hardly any, would be no demonstration.
            #expect((0.1...50).contains(try #require(number(row["installs-per-thousand"]))), "\(row)")
        }
        // Apple signs its own ads; what they cost is known.
        let ofApple = impressions.filter { $0["network"] as? String == "com.apple.ads" }
        #expect(!ofApple.isEmpty && ofApple.allSatisfy { $0["impressions"] is NSNull })
        let spend = try #require(costs["spend"]?["rows"] as? [[String: Any]])
        #expect(spend.contains { $0["network"] as? String == "com.apple.ads" })
        for row in spend {
            let (amount, installs) = (try #require(number(row["spend"])), try #require(number(row["installs"])))
            let perInstall = try #require(number(row["cost-per-install"]), "\(row)")
            #expect(amount > 0 && installs > 0 && abs(amount / installs - perInstall) < 0.000_051, "\(row)")
            #expect((0.1...20).contains(perInstall), "\(row)")
        }
        let currencies = try #require(costs["currencies"]?["rows"] as? [[String: Any]])
        #expect(currencies.compactMap { $0["currency"] as? String } == ["EUR", "USD"])
        for row in currencies {
            let own = spend.filter { $0["currency"] as? String == row["currency"] as? String }
            let sum = own.compactMap { number($0["spend"]) }.reduce(0, +)
            #expect(abs(try #require(number(row["spend"])) - sum) < 0.005, "\(row)")
            // Those of identifiers that may be of the same campaigns are counted, too.
            let certain = own.compactMap { number($0["installs"]) }.reduce(0, +)
            let possible = own.compactMap { number($0["installs-possible"]) }.reduce(0, +)
            let installs = try #require(number(row["installs"]))
            #expect(installs > certain && installs <= certain + possible, "\(row)")
        }
    }

    /// Checks the pages: they show the test traffic and say so, each campaign has one of its own, and no figure looks
    /// impossible.
    private func checkPages(_ console: String) throws {
        let page = try SkanProcess.run(
            SkanProcess.curl, ["-sL", "--max-time", "60", console + "/"], in: folder.url
        ).output
        for words in ["TEST traffic", "Launch video", "Spend", "Revenue", "Return on spend", "USD", "EUR", "% from "] {
            #expect(page.contains(words), "\(words)")
        }
        let found = try #require(page.firstMatch(of: #/href="(\/campaign\?[^"]+)"/#))
        let link = String(found.1).replacingOccurrences(of: "&amp;", with: "&")
        #expect(link.hasPrefix("/campaign?provenance=test&where=network="))
        let campaign = try ask(console, link)
        let query = link.drop { $0 != "?" }.dropFirst()
        let report = try ask(console, "/v1/report?\(query)&period=30d&by=&columns=installs&format=csv")
        let installs = try #require(report.split(whereSeparator: \.isNewline).last)
        let others = ["Launch video", "News on the web", "Account", "Search ads", "Chess evening", "Banner"]
        let shown = others.filter { campaign.contains($0) }
        #expect(shown.count == 1 && campaign.contains("<h1><bdi>\(shown.first ?? "")</bdi></h1>"), "\(shown)")
        let headline = try #require(
            campaign.firstMatch(of: #/class="headline"><div><dt>Installs</dt><dd><data value="(\d+)"/#))
        #expect(String(headline.1) == String(installs.filter(\.isNumber)), "\(report)")
        let windows = try Self.sections(try ask(console, "/v1/reports/windows?test&period=30d"))
        for row in windows["funnel"]?["rows"] as? [[String: Any]] ?? [] {
            #expect((0.5...1.2).contains(try #require(Self.number(row["per-first"]))), "\(row)")
        }
        let sorted = try ask(console, "/reports/campaigns?test&sort=campaigns.installs")
        let body = try #require(sorted.firstMatch(of: #/<tbody>(.*?)<\/tbody>/#)).1
        let counts = body.split(separator: "<tr>").compactMap { row in
            row.firstMatch(of: #/<td class="number"><data value="(\d+)"/#).flatMap { Int($0.1) }
        }
        #expect(counts.count > 5 && counts == counts.sorted(), "\(counts)")
    }

    @Test("Two months that end today are served with its costs, the second time as it was made the first time")
    func month() throws {
        var reports: [String] = []
        var costs: [NSDictionary] = []
        for _ in 1...2 {
            let (demo, console) = try start()
            reports.append(
                try ask(console, "/v1/report?provenance=test&by=day&columns=postbacks&format=csv"))
            let sections = try Self.sections(try ask(console, "/v1/reports/costs?provenance=test&from=2020-01-01"))
            try Self.check(sections)
            costs.append(sections as NSDictionary)
            let page = try ask(console, "/reports/costs?provenance=test&from=2020-01-01")
            for row in sections["spend"]?["rows"] as? [[String: Any]] ?? [] {
                #expect(page.contains(try #require(row["cost-per-install"] as? String)))
            }
            try checkPages(console)
            // None of it is among the figures of real ads.
            let real = try Self.sections(try ask(console, "/v1/reports/costs"))
            #expect((real["impressions"]?["totals"] as? [String: Any])?["impressions"] is NSNull)
            #expect((real["spend"]?["rows"] as? [Any])?.isEmpty == true)
            demo.send(SIGTERM)
            demo.waitUntilExit()
            #expect(demo.terminationStatus == 0)
        }
        let days = reports[0].split(whereSeparator: \.isNewline).filter { $0.contains(#/^\d{4}-\d\d-\d\d,[1-9]/#) }
        #expect((59...61).contains(days.count), "\(reports[0])")
        #expect(reports[0] == reports[1])
        #expect(costs[0] == costs[1])
    }
}
