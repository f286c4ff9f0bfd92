import Attribution
import AttributionConsole
import AttributionListener
import AttributionReports
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Tokens limited to apps, as a process", .timeLimit(.minutes(10)))
struct AppTokenTests: FolderSuite {
    let folder: WorkFolder
    let tokens: Tokens

    /// A token of the advertiser of ``own``, one of both apps, and one without a limit.
    struct Tokens {
        let own: String
        let both: String
        let free: String
    }

    /// The apps of the scenario.
    static let own = "684939"
    static let other = "1234567890"

    /// A store with test postbacks of both apps, and a list of tokens.
    init() throws {
        let folder = try WorkFolder()
        let scenario = ScenarioTests.samples.appendingPathComponent("small-network.json").path
        let outcome = try SkanProcess.run(
            ["simulate", scenario, "--days", "24", "--from", "2026-09-01", "--keys", "keys", "--store", "skan.sqlite"],
            in: folder.url)
        try #require(outcome.status == 0, "\(outcome)")
        func token(_ name: String, _ apps: [String]) throws -> String {
            let outcome = try SkanProcess.run(
                ["tokens", "create", "--file", "tokens.json", "--name", name, "--scope", "report"]
                    + apps.flatMap { ["--app", $0] }, in: folder.url)
            #expect(outcome.status == 0, "\(outcome)")
            return String(outcome.output.dropLast())
        }
        self.folder = folder
        tokens = Tokens(
            own: try token("own", [Self.own]), both: try token("both", [Self.own, Self.other]),
            free: try token("free", []))
    }

    /// What is named in files of the operator, whose words begin with Zebra where they are of the other app.
    private func serve() throws -> SkanServer {
        try write(
            """
            {"version": 1, "apps": [{"id": \(Self.own), "name": "Chess"}, {"id": \(Self.other), "name": "Zebra bank"}],
             "source-apps": [{"id": 5838492, "name": "Zebra sudoku"}], "campaigns": [
               {"name": "Evening", "network": "example123.skadnetwork", "app": \(Self.own), "source-identifier": "2103",
                "from": "2026-01-01"},
               {"name": "Zebra branch", "network": "example123.skadnetwork", "app": \(Self.other),
                "source-identifier": "4404", "from": "2026-01-01"}]}
            """, to: "names.json")
        try write(
            """
            {"version": 1, "schemas": [{"app": \(Self.other), "name": "Zebra", "from": "2020-01-01", "currency": "EUR",
              "fine": [{"from": 0, "to": 63, "events": ["Zebra deposit"], "revenue": {"low": 1, "high": 2}}]}]}
            """, to: "schemas.json")
        let header = "date,ad-network-id,app-id,campaign-id,source-identifier,currency,amount\n"
        try write(
            header + "2026-09-03,example123.skadnetwork,\(Self.own),,2103,EUR,12\n"
                + "2026-09-03,example123.skadnetwork,\(Self.other),,4404,EUR,98765.43\n", to: "spend.csv")
        let spend = try skan("import", "--store", "skan.sqlite", "--test-ads", "--spend", "spend.csv")
        #expect(spend.status == 0, "\(spend)")
        return try SkanServer(
            in: folder,
            arguments: SkanServer.testKeys + [
                "--tokens", "tokens.json", "--campaigns", "names.json", "--schema", "schemas.json",
            ])
    }

    /// Which of some texts are in another one.
    private func found(_ markers: [String], in text: String) throws -> Set<Substring> {
        try write(markers.joined(separator: "\n") + "\n", to: "markers")
        try write(text, to: "answers")
        let outcome = try run(
            URL(fileURLWithPath: "/usr/bin/grep"), ["-a", "-o", "-F", "-f", "markers", "answers"])
        return Set(outcome.output.split(separator: "\n"))
    }

    /// The answers to requests, with their heads, over as few connections as there are.
    private func ask(_ urls: [String], _ token: String, _ more: String...) throws -> String {
        let lines = urls.map { "url = \"\($0)\"\n" }.joined()
        try write(lines, to: "urls")
        return try run(
            SkanProcess.curl,
            ["-s", "-i", "-g", "--max-time", "120", "-H", "Authorization: Bearer \(token)"] + more + ["-K", "urls"]
        ).output
    }

    /// The recorded postbacks, as an export has them.
    private func exported() throws -> [(app: String, id: String, won: String, body: String)] {
        let export = try skan("export", "--store", "skan.sqlite", "--test", "--bodies")
        return try export.output.split(separator: "\n").map { line in
            let row = try JSONObject(reading: Array(line.utf8), limit: line.utf8.count)
            func text(_ name: String) -> String {
                switch row[name] {
                case .string(let text): text
                case .bool(let flag): String(flag)
                default: ""
                }
            }
            return (text("app"), text("transaction-id"), text("did-win"), text("body"))
        }
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    // MARK: Nothing of another app

    /// Values of every parameter that some route takes.
    private static func values(position: String, transaction: String) -> [(name: String, values: [String])] {
        [
            (
                "where",
                [
                    "app=\(own)", "app!=\(own)", "app=\(other)", "app!=\(other)", "network=example123.skadnetwork",
                    "network!=example123.skadnetwork", "source-app=5838492", "country=DE", "source-identifier=04",
                ]
            ),
            ("by", ["app", "network,app,campaign", "day,app", "source", "country,conversion-value", "version", ""]),
            ("columns", ["postbacks,installs"]), ("sort", ["-installs"]), ("top", ["1", "1000"]),
            ("histogram", ["true"]), ("format", ReportFormat.allCases.map(\.rawValue)), ("compare", ["false"]),
            ("explain", ["true"]), ("as-of", [position]), ("period", ["30d", "2026-W37", "2026-09"]),
            ("date", ["2026-09-10"]), ("time-zone", ["Europe/Berlin"]), ("transaction-id", [transaction]),
            ("id", ["1", "2", "3"]), ("after", ["0", "1"]), ("limit", ["1", "1000"]), ("class", ["forged"]),
            ("reason", ["malformed"]), ("before", ["2026-10-01"]), ("count", ["1"]), ("next", ["/quarantine"]),
            ("section", Set(StandardReportName.allCases.flatMap { StandardReportPlan($0).sectionNames }).sorted()),
            ("kind", ["spend"]), ("ads", ["test"]),
        ]
    }

    /// The paths of every route, with every element that stands in braces.
    private static let paths = ConsoleRoute.allCases.filter { $0.definition.method == .get }.flatMap { route in
        let names =
            switch route {
            case .reportPage, .standardReport: StandardReportName.allCases.map(\.rawValue)
            case .pageAsset: PageAsset.all.map(\.name)
            default: [""]
            }
        return names.map { route.definition.path.replacing("{name}", with: $0) }
    }

    @Test("Whatever an advertiser's token asks for, of every route, nothing of another app is in the answer")
    func fuzzed() throws {
        let rows = try exported()
        let others = rows.filter { $0.app == Self.other }.map(\.id)
        try #require(others.count > 10 && rows.contains { $0.app == Self.own && $0.won != "false" })
        let server = try serve()
        let period = "provenance=test&from=2026-09-01&to=2026-10-30"
        let all = try ask(["\(server.console)/v1/report?\(period)&by=app&format=table"], tokens.free)
        let position = try #require(all.firstMatch(of: /(?i:Skan-Position): ([0-9a-f]{8}-[0-9a-f-]+)/)).1
        // Positions begin with the id of the store, and tell how many postbacks there are.
        let markers = ["Zebra", "98765.43", "98,765.43", Self.other, String(position.prefix(9))] + others
        var generator = Generator(state: 7)
        let parameters = Self.values(position: String(position), transaction: others[0])
        let choices = parameters.flatMap { name, values in values.map { "\(name)=\(Self.encoded($0))" } }
        var urls: [String] = []
        for path in Self.paths {
            let base = server.console + path
            urls += [base, "\(base)?\(period)"] + choices.map { "\(base)?\(period)&\($0)" }
            for _ in 0..<12 {
                let some = (0..<Int.random(in: 1...4, using: &generator)).compactMap { _ in
                    choices.randomElement(using: &generator)
                }
                urls.append("\(base)?\(some.joined(separator: "&"))")
            }
        }
        // A request that names something may be answered with it.
        let naming = Dictionary(grouping: urls) { url in markers.filter { url.contains(Self.encoded($0)) } }
        var answered = 0
        for (named, urls) in naming {
            let text = try ask(urls, tokens.own)
            answered += text.ranges(of: "HTTP/1.1 200 ").count
            #expect(try found(markers.filter { !named.contains($0) }, in: text) == [], "\(named)")
        }
        #expect(answered > 500)
        // The same answers have all of it for others.
        let free = try ask(Self.paths.map { "\(server.console)\($0)?\(period)" }, tokens.free)
        #expect(
            try found(markers, in: free).isSuperset(of: ["Zebra", "98765.43", Self.other[...], position.prefix(9)]))
        let own = try ask(["\(server.console)/v1/report?\(period)&by=app&format=table"], tokens.own)
        #expect(own.contains(Self.own) && all.contains(Self.own))
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A route that is not of single apps refuses an advertiser's token, and says what the token is for")
    func refused() throws {
        let server = try serve()
        for route in ConsoleRoute.allCases {
            guard case .scope(let scope) = route.definition.access, !route.canBeLimitedToApps else {
                continue
            }
            let path = route.definition.path.replacing("{name}", with: "overview")
            let body = route.definition.method == .post ? ["-X", "POST", "-d", "{}"] : []
            let answer = try run(
                SkanProcess.curl,
                ["-s", "-i", "--max-time", "60", "-H", "Authorization: Bearer \(tokens.own)"] + body
                    + [server.console + path]
            ).output
            #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(path): \(answer)")
            #expect(answer.contains(scope == .report || scope == .metrics ? "out-of-app" : "out-of-scope"), "\(answer)")
            if answer.contains("out-of-app") {
                #expect(answer.contains(Self.own) && answer.contains("/v1/postbacks"), "\(answer)")
            }
        }
        let named = try ask(["\(server.console)/v1/report?where=app%3D\(Self.other)"], tokens.own)
        #expect(named.hasPrefix("HTTP/1.1 403 ") && named.contains("out-of-app") && !named.contains(Self.other))
        let delivery = try ask(["\(server.console)/v1/reports/delivery"], tokens.own)
        #expect(delivery.hasPrefix("HTTP/1.1 403 ") && delivery.contains("out-of-app"), "\(delivery)")
        let position = try ask(["\(server.console)/v1/report?as-of=01234567-1"], tokens.own)
        #expect(position.hasPrefix("HTTP/1.1 400 ") && position.contains("as-of: found a position"), "\(position)")
        let both = try ask(["\(server.console)/v1/report?by=app&provenance=test&format=csv"], tokens.both)
        #expect(both.contains("\(Self.own),") && both.contains("\(Self.other),"), "\(both)")
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("Reports of an advertiser count what reports of the app count")
    func figures() throws {
        let server = try serve()
        let period = "provenance=test&from=2026-09-01&to=2026-10-30"
        for path in [
            "/v1/report?by=day,country", "/v1/reports/campaigns?compare=true", "/v1/reports/costs?compare=true",
        ] {
            func table(_ token: String, _ condition: String) throws -> [String] {
                let url = "\(server.console)\(path)&\(period)&format=ndjson\(condition)"
                return try ask([url], token).split(separator: "\n").filter {
                    $0.contains("\"type\":\"row\"") && !$0.contains("Zebra")
                }.map { String($0) }
            }
            let own = try table(tokens.own, "")
            #expect(try own == table(tokens.free, "&where=app%3D\(Self.own)") && !own.isEmpty, "\(path)")
        }
        #expect(server.end(SIGTERM).status == 0)
    }

    // MARK: Postbacks

    private struct Lines {
        var cursors: [String] = []
        var bodies: [String] = []
        var next = ""
        var hasMore = false
    }

    private func lines(_ server: SkanServer, _ query: String, _ token: String) throws -> Lines {
        let url = "\(server.console)/v1/postbacks?provenance=test&format=ndjson\(query)"
        let answer = try ask([url], token)
        try #require(answer.hasPrefix("HTTP/1.1 200 "), "\(url): \(answer)")
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
        var lines = Lines()
        for field in parts[0].split(separator: "\r\n") {
            if field.hasPrefix("Skan-Next: ") { lines.next = String(field.dropFirst(11)) }
            if field == "Skan-More: true" { lines.hasMore = true }
        }
        for line in (parts.count > 1 ? parts[1] : "").split(separator: "\n") {
            let object = try JSONObject(reading: Array(line.utf8), limit: line.utf8.count)
            guard case .string(let cursor)? = object["cursor"], case .string(let body)? = object["body"] else {
                Issue.record("\(line)")
                continue
            }
            #expect(object["provenance"] == .string("test") && object["did-win"] != .bool(false), "\(line)")
            lines.cursors.append(cursor)
            lines.bodies.append(body)
        }
        return lines
    }

    @Test("Who reads on from the cursor gets each postback of the app that won once, while postbacks arrive")
    func cursor() throws {
        let server = try serve()
        let scenario = ScenarioTests.samples.appendingPathComponent("small-network.json").path
        let more = try skan(
            "simulate", scenario, "--days", "3", "--from", "2026-10-01", "--seed", "99", "--output", "more", "--keys",
            "keys")
        #expect(more.status == 0, "\(more)")
        var pending = try String(contentsOfFile: folder.path("more/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n").compactMap { line in
                if case .string(let body)? = try JSONObject(reading: Array(line.utf8))["body"] { body } else { nil }
            }
        var read = Lines()
        repeat {
            let page = try lines(server, "&limit=7" + (read.next.isEmpty ? "" : "&after=\(read.next)"), tokens.own)
            #expect(page.bodies.count == 7 || !page.hasMore)
            #expect(page.cursors.last.map { $0 == page.next } ?? true)
            (read.next, read.hasMore) = (page.next, page.hasMore)
            read.bodies += page.bodies
            if let body = pending.popLast() {
                let sent = try run(
                    SkanProcess.curl,
                    ["-s", "--max-time", "60", "-H", "Content-Type: application/json", "-d", body, server.url])
                #expect(sent.output.contains("\"status\":"), "\(sent.output)")
            }
        } while read.hasMore || !pending.isEmpty
        // What was sent after the last page.
        let last = try lines(server, "&after=\(read.next)", tokens.own)
        (read.next, read.bodies) = (last.next, read.bodies + last.bodies)
        let after = try lines(server, "&after=\(read.next)", tokens.own)
        #expect(after.bodies.isEmpty && after.next == read.next && !after.hasMore)
        let rows = try exported()
        #expect(read.bodies == rows.filter { $0.app == Self.own && $0.won != "false" }.map(\.body))
        // Everyone else gets all of them, and those that lost as well.
        #expect(rows.contains { $0.won == "false" })
        let url = "\(server.console)/v1/postbacks?provenance=test&format=ndjson&limit=10000"
        #expect(try ask([url], tokens.free).ranges(of: /"cursor":/).count == rows.count)
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("Postbacks are read by day, and a cursor of another app's postback is as unknown as none")
    func days() throws {
        let server = try serve()
        let whole = try lines(server, "&limit=10000", tokens.own)
        var byDay = 0
        for day in 1...30 {
            byDay += try lines(server, "&date=2026-09-\(day < 10 ? "0" : "")\(day)", tokens.own).bodies.count
        }
        let september = try lines(server, "&from=2026-09-01&to=2026-09-30&limit=10000", tokens.own).bodies
        #expect(byDay == september.count && byDay > 5 && september.allSatisfy(whole.bodies.contains))
        let others = try ask(
            ["\(server.console)/v1/postbacks?provenance=test&format=ndjson&limit=10000"], tokens.free
        ).split(separator: "\n").filter { $0.contains("\\\"app-id\\\":\(Self.other)") }
        let cursor = try #require(others.first?.firstMatch(of: /"cursor":"([^"]+)"/)).1
        for (query, detail) in [
            ("after=\(cursor)", "after: found the cursor of no postback here"), ("after=12", "after: found the cursor"),
            ("date=2026-09-01&to=2026-09-02", "date: found 2026-09-01 together with from or to"),
            ("format=json", "format: found json, expected ndjson"), ("transaction-id=a", "an unknown name"),
        ] {
            let answer = try ask(["\(server.console)/v1/postbacks?provenance=test&\(query)"], tokens.own)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(detail), "\(query): \(answer)")
        }
        #expect(server.end(SIGTERM).status == 0)
    }
}

/// The same numbers from the same state, SplitMix64.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
