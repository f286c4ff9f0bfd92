import Attribution
import AttributionHarness
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("skan import --impressions and --spend, and skan report costs", .timeLimit(.minutes(5)))
struct CostCommandTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func importing(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(["import", "--store", "skan.sqlite"] + arguments)
    }

    private func sections(_ text: String) throws -> [String: [String: Any]] {
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
        let sections = try #require(object["sections"] as? [[String: Any]], "\(text)")
        return Dictionary(uniqueKeysWithValues: sections.map { ($0["section"] as? String ?? "", $0) })
    }

    private func report(_ arguments: String...) throws -> [String: [String: Any]] {
        let outcome = try skan(["report", "costs", "--store", "skan.sqlite", "--format", "json"] + arguments)
        #expect(outcome.status == 0, "\(outcome)")
        return try sections(outcome.output)
    }

    private func impressions(_ report: [String: [String: Any]]) -> Int? {
        ((report["impressions"]?["totals"] as? [String: Any])?["impressions"] as? NSNumber)?.intValue
    }

    private func order(_ item: Int) -> String {
        """
        {"forms": ["storekit-rendered"], "versions": ["4.0"], "ad-network-id": "example123.skadnetwork", \
        "itunes-item-id": \(item), "source-app-id": 2, "source-identifier": 39}
        """
    }

    private func sign(_ item: Int, _ server: SkanServer) throws {
        let answer = try run(
            SkanProcess.curl,
            [
                "-s", "-i", "--max-time", "60", "-H", "Content-Type: application/json", "--data", order(item),
                "\(server.signer)/v1/impressions",
            ]
        ).output
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
    }

    // MARK: Impressions

    @Test("What a server without a store counted is added up once, while its file grows and afterwards")
    func counts() throws {
        try folder.makeSigningKeys()
        let server = try SkanServer(
            in: folder, store: nil, arguments: SkanServer.signing + ["--counts", "counts.ndjson"])
        for item in [1, 1, 2] {
            try sign(item, server)
        }
        #expect(server.end(SIGTERM).status == 0)
        let text = try String(contentsOfFile: folder.path("counts.ndjson"), encoding: .utf8)
        let lines = text.split(separator: "\n")
        try #require(lines.count == 2)
        try write("\(lines[0])\n\(lines[1].prefix(40))", to: "growing.ndjson")
        let first = try importing("--impressions", "growing.ndjson")
        #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
        #expect(
            first.output
                == "growing.ndjson: lines counted 1, the last one is not finished yet\n")
        let whole = try importing("--impressions", "counts.ndjson")
        #expect(whole.output == "counts.ndjson: lines counted 1, counted before 1\n")
        try write(text + "{\"version\":2}\n" + text, to: "damaged.ndjson")
        let damaged = try importing("--impressions", "damaged.ndjson")
        #expect(damaged.status == 1)
        #expect(
            damaged.output == "damaged.ndjson: lines counted 0, counted before 4, unreadable 1\n")
        #expect(
            damaged.errors
                == "skan: warning: damaged.ndjson, line 3: version: found another version or none, expected 1\n")
        #expect(impressions(try report()) == 3)
    }

    @Test("A client of the console with an unfinished request neither holds up a stop nor costs what was signed")
    func unfinishedRequest() throws {
        try folder.makeSigningKeys()
        let server = try SkanServer(in: folder, arguments: SkanServer.signing)
        try sign(7, server)
        let client = try RawClient(port: server.consolePort)
        client.send(
            "POST /v1/explain HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: 400\r\n\r\n{")
        // The event loop reads what was sent before it accepts whoever comes later.
        let probe = try RawClient(port: server.consolePort)
        probe.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(try probe.answer().status == 200)
        let end = withExtendedLifetime(client) { server.end(SIGTERM) }
        #expect(end.status == 0, "\(end.log)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("skan.sqlite-wal")))
        #expect(impressions(try report()) == 1)
    }

    @Test("What was signed is in the store while a client of the public listener still holds up the stop")
    func countedEarly() throws {
        try folder.makeSigningKeys()
        let server = try SkanServer(in: folder, arguments: SkanServer.signing)
        try sign(7, server)
        #expect(impressions(try report()) != 1)
        let client = HalfRequests()
        try client.open(1, from: 1, to: server.port)
        try withExtendedLifetime(client) {
            let start = ContinuousClock.now
            kill(server.process.processIdentifier, SIGTERM)
            while try impressions(report()) != 1 {
                try #require(ContinuousClock.now - start < .seconds(20), "nothing is counted")
            }
            // The public listener waits for that client for 3 seconds.
            #expect(ContinuousClock.now - start < .milliseconds(2_500))
            #expect(server.end(SIGTERM).status == 0)
        }
    }

    @Test("A server with a store counts what it signs into the store, and goes on after a restart")
    func server() throws {
        try folder.makeSigningKeys()
        for round in 1...2 {
            let server = try SkanServer(in: folder, arguments: SkanServer.signing)
            for _ in 1...round {
                try sign(7, server)
            }
            #expect(server.end(SIGTERM).status == 0)
            #expect(impressions(try report()) == round * (round + 1) / 2)
        }
    }

    // MARK: Spend

    /// Two installs of one group of source identifiers, which Apple signed.
    private func importPostbacks() throws {
        let postbacks = try AppleSignedPostback.all().filter { $0.name.hasPrefix("skan-4.0-") }
        try #require(postbacks.count == 2)
        let lines = postbacks.map { postback in
            let body = String(decoding: postback.body, as: UTF8.self).replacing("\n", with: " ")
            return "{\"received\":\"2026-11-05T12:00:00Z\",\"body\":\(body)}\n"
        }
        try write(lines.joined(), to: "postbacks.ndjson")
        let outcome = try importing("postbacks.ndjson")
        #expect(outcome.status == 0 && outcome.output.contains("recorded 2"), "\(outcome)")
    }

    private func counted(_ identifier: Int, _ signed: Int, sequence: Int, network: String = "com.example") -> String {
        """
        {"version":1,"writer":"68483ef6-0678-40df-859b-1b8f3f2d7b21","sequence":\(sequence),\
        "from":"2026-11-02T10:05:00Z","to":"2026-11-02T10:06:00Z","network":"\(network)","app":525463029,\
        "source-identifier":\(identifier),"signed":\(signed)}\n
        """
    }

    static let header = "date,ad-network-id,app-id,campaign-id,source-identifier,currency,amount\n"

    @Test("Installs that Apple signed are divided by what is known of their ads, the same on every path")
    func figures() throws {
        try importPostbacks()
        try write(
            counted(5239, 500, sequence: 1) + counted(1139, 300, sequence: 2)
                + counted(5239, 77_777, sequence: 3, network: "other.skadnetwork"), to: "counts.ndjson")
        try write(
            Self.header
                + "2026-11-02,com.example,525463029,,39,USD,12.00\n2026-11-03,com.example,525463029,,5239,USD,0.34\n"
                + "2026-11-02,other.skadnetwork,525463029,,5239,EUR,9999\n", to: "spend.csv")
        let both = try importing("--impressions", "counts.ndjson", "--spend", "spend.csv")
        #expect(
            both.output
                == "counts.ndjson: lines counted 3\nspend.csv: amounts recorded 3\n",
            "\(both)")
        let server = try SkanServer(in: folder, arguments: [])
        func ask(_ path: String) throws -> String {
            try run(SkanProcess.curl, ["-s", "--max-time", "60", server.console + path]).output
        }
        let query = "from=2026-11-01&to=2026-11-10&where=network%3Dcom.example"
        let printed = try report("--from", "2026-11-01", "--to", "2026-11-10", "--where", "network=com.example")
        let served = try sections(try ask("/v1/reports/costs?\(query)"))
        #expect(served as NSDictionary == printed as NSDictionary)
        let rows = try #require(printed["impressions"]?["rows"] as? [[String: Any]])
        #expect(rows.map { $0["source-identifier"] as? String } == ["5239", "1139", "39"])
        #expect(rows.last?["candidates"] as? String == "perhaps 1139, 5239")
        let row = try #require(printed["impressions"]?["totals"] as? [String: Any])
        #expect((row["impressions"] as? NSNumber)?.intValue == 800 && (row["installs"] as? NSNumber)?.intValue == 2)
        #expect((row["installs-per-thousand"] as? NSNumber)?.doubleValue == 2.5)
        let spend = try #require((printed["currencies"]?["rows"] as? [[String: Any]])?.first)
        #expect(spend["spend"] as? String == "12.34" && spend["currency"] as? String == "USD")
        #expect(spend["cost-per-install"] as? String == "6.17")
        let page = try ask("/reports/costs?\(query)")
        #expect(page.contains("6.17") && page.contains("0.68") && !page.contains("77,777"), "\(page.prefix(300))")
        let csv = try ask("/v1/reports/costs?\(query)&format=csv&section=spend")
        #expect(csv.contains("com.example,525463029,,39,\"perhaps 1139, 5239\",USD,12.00,"), "\(csv)")
        #expect(!csv.contains("other.skadnetwork"))
        #expect(impressions(try sections(try ask("/v1/reports/costs?from=2026-11-01"))) == 78_577)
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A token that is limited to a network sees neither impressions nor spend of another")
    func limited() throws {
        try write(
            counted(5239, 43_210_987, sequence: 1)
                + counted(5239, 77_777_123, sequence: 2, network: "other.skadnetwork"),
            to: "counts.ndjson")
        #expect(try importing("--impressions", "counts.ndjson").status == 0)
        let created = try skan(
            "tokens", "create", "--file", "tokens.json", "--name", "a", "--scope", "report", "--network",
            "other.skadnetwork")
        #expect(created.status == 0, "\(created.errors)")
        let server = try SkanServer(in: folder, arguments: ["--tokens", "tokens.json"])
        func ask(_ path: String) throws -> String {
            try run(
                SkanProcess.curl,
                [
                    "-s", "-i", "--max-time", "60", "-H", "Authorization: Bearer \(created.output.dropLast())",
                    server.console + path,
                ]
            ).output
        }
        #expect(try ask("/v1/reports/costs").hasPrefix("HTTP/1.1 403 "))
        #expect(try ask("/v1/reports/costs?where=network%3Dcom.example").hasPrefix("HTTP/1.1 403 "))
        let own = try ask("/v1/reports/costs?where=network%3Dother.skadnetwork")
        #expect(own.contains("77777123") && !own.contains("43210987"), "\(own)")
        #expect(server.end(SIGTERM).status == 0)
    }

    static let campaign = "example123.skadnetwork,1,12,"

    @Test("Spend is stated once; another amount is refused with what is known, and replaced when asked to")
    func replacing() throws {
        try write(Self.header + "2026-11-02,\(Self.campaign),USD,12.34\n", to: "spend.csv")
        #expect(try importing("--spend", "spend.csv").output == "spend.csv: amounts recorded 1\n")
        #expect(
            try importing("--spend", "spend.csv").output
                == "spend.csv: amounts recorded 0, known before 1\n")
        let object = """
            {"date": "2026-11-03", "ad_network_id": "Example123.skadnetwork", "app-id": 1, "campaign-id": 12, \
            "source-identifier": null, "currency": "USD", "amount": 5}

            """
        try write(
            object + object.replacing("-03", with: "-02").replacing("\"amount\": 5", with: "\"amount\": \"12.35\""),
            to: "spend.ndjson")
        let refused = try importing("--spend", "spend.ndjson")
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(
            refused.errors == """
                skan: error: spend.ndjson, line 2: amount: found 12.35 USD, expected 12.34, as the store has it for \
                2026-11-02 and this campaign
                skan: error: nothing of spend.ndjson was recorded, because of 1 of its rows
                skan: hint: --replace lets the amounts of the file replace those of the store

                """)
        #expect(
            try importing("--spend", "spend.ndjson", "--replace").output
                == "spend.ndjson: amounts recorded 1, replaced 1\n")
        let rows = try report("--from", "2026-11-01")["currencies"]?["rows"] as? [[String: Any]]
        #expect(rows?.compactMap { $0["spend"] as? String } == ["17.35"])
    }

    @Test("What a scenario writes of its ads is imported as figures of test ads, apart from those of real ones")
    func testAds() throws {
        let scenario = CommandTests.root.appendingPathComponent("Sources/AttributionHarness/Demo/demo.json").path
        let written = try skan(
            "simulate", scenario, "--days", "6", "--from", "2026-09-01", "--keys", "keys", "--output", "out")
        #expect(written.status == 0, "\(written)")
        let files = ["--impressions", "out/impressions.ndjson", "--spend", "out/spend.csv"]
        func imported(_ options: [String]) throws -> SkanProcess.Outcome {
            try skan(["import", "--store", "skan.sqlite"] + files + options)
        }
        let first = try imported(["--test-ads"])
        #expect(first.status == 0 && first.output.contains("lines counted 42\n"), "\(first)")
        let again = try imported(["--test-ads"])
        #expect(again.output.contains("lines counted 0, counted before 42"), "\(again)")
        #expect(again.output.contains("amounts recorded 0, known before "), "\(again)")
        let test = try report("--test", "--from", "2026-09-01", "--to", "2026-09-06")
        #expect((impressions(test) ?? 0) > 100_000)
        #expect((test["spend"]?["rows"] as? [Any])?.isEmpty == false)
        #expect(impressions(try report("--from", "2026-09-01", "--to", "2026-09-06")) == nil)
        #expect(try importing("--test-ads", "x.ndjson").errors.contains("--test-ads is for figures of ads"))
    }

    // MARK: Beside a server

    @Test("A server that has the file takes what ads cost and how many were signed, once, as the command does alone")
    func beside() throws {
        try write(
            Self.header + "2026-11-02,\(Self.campaign),USD,12.34\n2026-11-03,\(Self.campaign),USD,0\n", to: "a.csv")
        try write(
            Self.header + "2026-11-04,\(Self.campaign),USD,1\n2026-11-02,\(Self.campaign),USD,12.35\n", to: "b.csv")
        try write(counted(5239, 500, sequence: 1) + "{}\n" + counted(1139, 300, sequence: 2), to: "counts.ndjson")
        let server = try SkanServer(in: folder, arguments: [])
        func served() throws -> [String: [String: Any]] {
            let url = "\(server.console)/v1/reports/costs?from=2026-11-01"
            return try sections(try run(SkanProcess.curl, ["-s", "--max-time", "60", url]).output)
        }
        func spend() throws -> [String]? {
            (try served()["currencies"]?["rows"] as? [[String: Any]])?.compactMap { $0["spend"] as? String }
        }
        let done = "skan: done by the process that has the store open\n"
        let first = try importing("--spend", "a.csv")
        #expect(first.status == 0 && first.output == "a.csv: amounts recorded 2\n" && first.errors == done, "\(first)")
        #expect(try importing("--spend", "a.csv").output == "a.csv: amounts recorded 0, known before 2\n")
        let refused = try importing("--spend", "b.csv")
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(
            refused.errors == """
                skan: error: b.csv, line 3: amount: found 12.35 USD, expected 12.34, as the store has it for 2026-11-02 \
                and this campaign
                skan: error: nothing of b.csv was recorded, because of 1 of its rows
                skan: hint: --replace lets the amounts of the file replace those of the store

                """)
        #expect(try spend() == ["12.34"])
        #expect(try importing("--spend", "b.csv", "--replace").output == "b.csv: amounts recorded 1, replaced 1\n")
        #expect(try spend() == ["13.35"])
        let counts = try importing("--impressions", "counts.ndjson")
        #expect(counts.status == 1 && counts.output == "counts.ndjson: lines counted 2, unreadable 1\n", "\(counts)")
        #expect(try importing("--impressions", "counts.ndjson").output.contains("lines counted 0, counted before 2"))
        #expect(try impressions(served()) == 800)
        // Postbacks are for the owner of the file alone, also with figures of ads beside them.
        try write("{\"received\":\"2026-11-05T12:00:00Z\",\"body\":{}}\n", to: "postbacks.ndjson")
        let both = try importing("--spend", "a.csv", "postbacks.ndjson")
        #expect(both.status == 2 && both.errors.contains("importing needs it alone"), "\(both)")
        #expect(server.end(SIGTERM).status == 0)
        #expect(try importing("--spend", "b.csv").output == "b.csv: amounts recorded 0, known before 2\n")
        #expect(try impressions(report()) == 800)
    }

    /// Rows of spend, each of a campaign and day of its own.
    private func rows(_ count: Int) -> String {
        let first = CalendarDay(number: 18_000)
        return Self.header
            + (0..<count).map { index in
                "\(first.advanced(by: Int64(index / 9_000))),example123.skadnetwork,525463029,,\(1_000 + index % 9_000),USD,1\n"
            }.joined()
    }

    @Test("A file of spend is recorded whole or not at all, also where the server is killed over it")
    func killed() throws {
        let count = 120_000
        try write(rows(count), to: "spend.csv")
        let server = try SkanServer(in: folder, arguments: [])
        let process = ChildProcess()
        process.executableURL = SkanProcess.binary
        process.arguments = ["import", "--store", "skan.sqlite", "--spend", "spend.csv"]
        process.currentDirectoryURL = folder.url
        try process.run()
        let log = folder.url.appendingPathComponent("skan.sqlite-wal").path
        func size() -> Int {
            ((try? FileManager.default.attributesOfItem(atPath: log))?[.size] as? NSNumber)?.intValue ?? 0
        }
        // The transaction begins to be written, or is over.
        while process.isRunning, size() < 1 << 20 {}
        _ = server.end(SIGKILL)
        process.waitUntilExit()
        let again = try importing("--spend", "spend.csv")
        #expect(
            ["spend.csv: amounts recorded \(count)\n", "spend.csv: amounts recorded 0, known before \(count)\n"]
                .contains(again.output), "\(again)")
        let sums = try report("--from", "2019-01-01")["currencies"]?["rows"] as? [[String: Any]]
        #expect(sums?.compactMap { $0["spend"] as? String } == ["\(count).00"])
    }

    @Test("A file that is more than a server takes in one transaction is refused with the way out, and not cut")
    func tooLarge() throws {
        try write(rows(250_000), to: "spend.csv")
        let server = try SkanServer(in: folder, arguments: [])
        let outcome = try importing("--spend", "spend.csv")
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("250000 amounts take "), "\(outcome.errors)")
        #expect(outcome.errors.contains("skan: hint: split the file"), "\(outcome.errors)")
        #expect(server.end(SIGTERM).status == 0)
    }

    static let mistakes: [(row: String, message: String)] = [
        ("2026-11-02,n.skadnetwork,1,12,,USD,\"1,5\"", #"amount: found "1,5", expected an amount"#),
        ("2026-11-02,n.skadnetwork,1,12,,USD,-1", #"amount: found "-1", expected an amount that is not negative"#),
        ("2026-11-02,n.skadnetwork,1,12,,USD,", "amount: found nothing"),
        ("2026-11-02,n.skadnetwork,1,12,,usd,1", #"currency: found "usd", expected a code of ISO 4217, such as USD"#),
        ("2026-11-02,n.skadnetwork,1,12,,ABC,1", #"currency: found "ABC""#),
        ("2.11.2026,n.skadnetwork,1,12,,USD,1", "date: found 2.11.2026, expected a day as YYYY-MM-DD"),
        ("2026-02-30,n.skadnetwork,1,12,,USD,1", "date: found 2026-02-30, expected a day of the calendar"),
        ("2062-11-02,n.skadnetwork,1,12,,USD,1", "date: found 2062-11-02, expected a day from 2018-01-01 to"),
        ("2026-11-02,,1,12,,USD,1", "ad-network-id: found nothing, expected an id"),
        ("2026-11-02,n.skadnetwork,,12,,USD,1", "app-id: found nothing, expected an App Store id"),
        ("2026-11-02,n.skadnetwork,x,12,,USD,1", #"app-id: found "x", expected an App Store id"#),
        ("2026-11-02,n.skadnetwork,1,101,,USD,1", "campaign-id: found 101, expected a whole number from 1 to 100"),
        ("2026-11-02,n.skadnetwork,1,,5,USD,1", #"source-identifier: found "5", expected two to four digits"#),
        ("2026-11-02,n.skadnetwork,1,,,USD,1", "campaign-id: found nothing, expected it or source-identifier"),
        ("2026-11-02,n.skadnetwork,1,12,,USD", "row: found 6 cells, expected the header's 7"),
        (
            "2026-11-01,n.skadnetwork,1,12,,USD,7",
            "date: found 2026-11-01 once more for the campaign and the currency of line 2, expected one row"
        ),
    ]

    @Test("A row that cannot be taken is named, and nothing of its file is recorded", arguments: mistakes)
    func mistake(_ row: String, _ message: String) throws {
        try write(Self.header + "2026-11-01,n.skadnetwork,1,12,,USD,1\n\(row)\n", to: "spend.csv")
        let outcome = try importing("--spend", "spend.csv")
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("skan: error: spend.csv, line 3: \(message)"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("skan: hint: correct these rows, and import the file again\n"))
        // Nor is a store made for it.
        #expect(!FileManager.default.fileExists(atPath: folder.path("skan.sqlite")))
    }

    @Test("A last row that may be cut off is refused with its file; of NDJSON a whole object is taken")
    func unfinished() throws {
        try write(Self.header + "2026-11-01,\(Self.campaign),USD,310.5", to: "spend.csv")
        let outcome = try importing("--spend", "spend.csv")
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(
            outcome.errors.contains("spend.csv, line 2: row: found the last line without its end"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("skan.sqlite")))
        let object = #"{"date": "2026-11-01", "ad-network-id": "n.skadnetwork", "app-id": 1, "campaign-id": 12, "#
        try write(object + #""currency": "USD", "amount": 5}"#, to: "spend.ndjson")
        let whole = try importing("--spend", "spend.ndjson")
        #expect(whole.status == 0 && whole.output == "spend.ndjson: amounts recorded 1\n", "\(whole)")
    }

    @Test(
        "A file of spend or ids without newlines is refused by name, not taken for an empty one",
        arguments: [
            ("--spend", header, "2026-11-01,\(campaign),USD,1\n"),
            ("--known-ids", "ad-network-id,transaction-id,app-id\n", "n.skadnetwork,a,1\n"),
        ])
    func withoutNewlines(_ option: String, _ header: String, _ row: String) throws {
        let returns = "a carriage return without a newline (end each row with a newline: tr"
        let cases = [
            ((header + row).replacing("\n", with: "\r"), "line 1: " + returns),
            // Longer than a row may be.
            ((header + String(repeating: row, count: 5_000)).replacing("\n", with: "\r"), "line 1: " + returns),
            (String(header.dropLast()), "ends within its header, which may be cut off"),
            (header + row.replacing("\n", with: "\r") + row, returns),
        ]
        for (text, message) in cases {
            try write(text, to: "file.csv")
            let outcome = try importing(option, "file.csv")
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
            #expect(outcome.errors.contains("file.csv") && outcome.errors.contains(message), "\(outcome)")
        }
        try write((header + row).replacing("\n", with: "\r\n"), to: "file.csv")
        #expect(try importing(option, "file.csv").status == 0)
    }

    @Test("A column that spend does not have, and options that do not fit, are refused")
    func refusals() throws {
        try write(
            Self.header.replacing("amount", with: "amout") + "2026-11-01,n.skadnetwork,1,12,,USD,1\n", to: "spend.csv")
        let outcome = try importing("--spend", "spend.csv")
        #expect(
            outcome.errors.contains("line 2: amout: found a field that spend does not have, expected one of date"),
            "\(outcome.errors)")
        #expect(outcome.errors.contains("did you mean amount?"), "\(outcome.errors)")
        #expect(try importing("--replace", "x.csv").errors.contains("--replace is for amounts"))
        #expect(try importing().errors.contains("expected FILE, --known-ids FILE, --impressions FILE or --spend FILE"))
        #expect(try importing("--impressions", "none.ndjson").errors.contains("cannot read none.ndjson: no such file"))
    }
}
