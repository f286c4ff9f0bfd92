import Foundation
import Testing

/// Every figure is counted a second time, from the bytes of the export.
@Suite("skan report NAME and /v1/reports/NAME", .timeLimit(.minutes(5)))
struct StandardReportCommandTests: FolderSuite {
    let folder: WorkFolder

    static let period = ["--from", "2026-09-15", "--to", "2026-09-26"]
    static let previous = ("2026-09-03", "2026-09-14")
    static let current = ("2026-09-15", "2026-09-26")

    init() throws {
        folder = try WorkFolder()
        let scenario = ScenarioTests.samples.appendingPathComponent("launch.json").path
        let outcome = try skan(
            ["simulate", scenario, "--days", "26", "--from", "2026-09-01", "--keys", "keys", "--store", "skan.sqlite"])
        try #require(outcome.status == 0, "\(outcome)")
    }

    private func report(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(["report", "--store", "skan.sqlite", "--test"] + arguments)
    }

    private func json(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    private func sections(_ name: String, _ arguments: [String] = period) throws -> [String: [String: Any]] {
        let outcome = try skan(["report", name, "--store", "skan.sqlite", "--test", "--format", "json"] + arguments)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let sections = try #require(try json(outcome.output)["sections"] as? [[String: Any]])
        return Dictionary(uniqueKeysWithValues: sections.map { ($0["section"] as? String ?? "", $0) })
    }

    /// A recorded postback: what the export knows of it, and the members of its body.
    private struct Postback {
        let day: String
        let members: [String: Any]

        var payload: [String: Any] {
            guard let jws = members["jws-string"] as? String else {
                return members
            }
            var text = jws.split(separator: ".")[1].replacingOccurrences(of: "-", with: "+")
                .replacingOccurrences(of: "_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            let object = Data(base64Encoded: text).flatMap { try? JSONSerialization.jsonObject(with: $0) }
            return object as? [String: Any] ?? [:]
        }

        var index: Int { (payload["postback-sequence-index"] as? NSNumber)?.intValue ?? 0 }
        var hasLost: Bool { (payload["did-win"] as? NSNumber)?.boolValue == false }
        var isInstall: Bool { !hasLost && index == 0 && payload["conversion-type"] as? String != "re-engagement" }
        var source: String? {
            let app = payload["source-app-id"] ?? payload["publisher-item-identifier"]
            return app.map { "\($0)" } ?? payload["source-domain"] as? String
        }
        var campaign: String { "\(payload["campaign-id"] ?? payload["source-identifier"] ?? "")" }
        var value: String {
            let fine = members["conversion-value"]
            let coarse = members["coarse-conversion-value"]
            if fine is NSNull || coarse is NSNull { return "null" }
            return (fine ?? coarse).map { "\($0)" } ?? "absent"
        }
    }

    private func postbacks() throws -> [Postback] {
        let export = try skan(["export", "--store", "skan.sqlite", "--test", "--format", "ndjson", "--bodies"])
        #expect(export.status == 0, "\(export.errors)")
        return try export.output.split(separator: "\n").map { line in
            let row = try json(String(line))
            let received = try #require(row["received-at"] as? String)
            return Postback(day: String(received.prefix(10)), members: try json(try #require(row["body"] as? String)))
        }
    }

    private func count(_ days: (String, String), _ postbacks: [Postback], _ isCounted: (Postback) -> Bool) -> Int {
        postbacks.count { $0.day >= days.0 && $0.day <= days.1 && isCounted($0) }
    }

    private func figure(_ row: Any?, _ name: String) -> Int? {
        ((row as? [String: Any])?[name] as? NSNumber)?.intValue
    }

    private func rows(_ section: [String: Any]?) -> [[String: Any]] {
        section?["rows"] as? [[String: Any]] ?? []
    }

    @Test("Figures of both periods are those counted from the bytes")
    func independent() throws {
        let postbacks = try postbacks()
        let overview = try sections("overview")
        let totals = overview["days"]?["totals"] as? [String: Any]
        #expect(figure(totals, "installs") == count(Self.current, postbacks) { $0.isInstall })
        #expect(figure(totals?["previous"], "installs") == count(Self.previous, postbacks) { $0.isInstall })
        #expect(figure(totals, "installs").map { $0 > 100 } == true)
        for row in rows(overview["days"]) {
            let day = try #require(row["day"] as? String)
            #expect(figure(row, "installs") == count((day, day), postbacks) { $0.isInstall }, "\(day)")
        }
        for row in rows(try sections("sources")["sources"]) {
            let source = row["source-app"] as? String ?? row["source-domain"] as? String
            #expect(figure(row, "installs") == count(Self.current, postbacks) { $0.isInstall && $0.source == source })
            #expect(
                figure(row["previous"], "installs")
                    == count(Self.previous, postbacks) { $0.isInstall && $0.source == source })
        }
        for row in rows(try sections("campaigns")["campaigns"]) {
            let campaign = row["campaign-id"] as? String ?? row["source-identifier"] as? String
            let network = row["network"] as? String
            #expect(
                figure(row, "postbacks")
                    == count(Self.current, postbacks) {
                        $0.campaign == campaign
                            && ($0.payload["ad-network-id"] ?? $0.payload["ad-network-identifier"]) as? String
                                == network
                    }, "\(campaign ?? "")")
        }
        for row in rows(try sections("conversions")["values"]) {
            let value = try #require(row["conversion-value"] as? String)
            #expect(figure(row, "installs") == count(Self.current, postbacks) { $0.isInstall && $0.value == value })
        }
        let wins = try sections("wins")["apps"]?["totals"]
        #expect(figure(wins, "losses") == count(Self.current, postbacks) { $0.hasLost })
        let funnel = rows(try sections("windows")["funnel"])
        #expect(
            figure(funnel[1], "postbacks") == count(Self.current, postbacks) { !$0.hasLost && $0.index == 1 })
        #expect(
            figure(funnel[0], "first-postbacks")
                == count(Self.current, postbacks) { $0.isInstall && $0.payload["postback-sequence-index"] != nil })
        let tiers = try sections("tiers")
        let three = rows(tiers["evidence"]).first { $0["source"] as? String == "present" }
        #expect(
            figure(three, "postbacks")
                == count(Self.current, postbacks) {
                    $0.index == 0 && $0.source != nil && $0.payload["postback-sequence-index"] != nil
                })
    }

    @Test("Campaigns are rolled up or as received, with the same totals, at every door")
    func rollUp() throws {
        let names = """
            {"version": 1, "campaigns": [{"name": "none", "network": "n.skadnetwork", "app": 1,
              "source-identifier": "5239", "from": "2020-01-01"}]}
            """
        try Data(names.utf8).write(to: URL(fileURLWithPath: folder.path("names.json")))
        let server = try SkanServer(in: folder)
        for (name, section) in [
            ("campaigns", "campaigns"), ("windows", "campaigns"), ("costs", "impressions"),
            ("performance", "campaigns"),
        ] {
            let plain = try sections(name, Self.period + ["--no-roll-up"])[section]
            for options in [[], ["--campaigns", "names.json"]] {
                let rolled = try sections(name, Self.period + options)[section]
                let totals = [plain, rolled].map { section in
                    (section?["totals"] as? [String: Any])?.filter { !($0.value is NSNull) } as NSDictionary?
                }
                #expect(totals[0] != nil && totals[0] == totals[1], "\(name)")
            }
            let query = "provenance=test&from=2026-09-15&to=2026-09-26&roll-up=false"
            let served = try run(
                SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/v1/reports/\(name)?\(query)"]
            ).output
            let printed = try #require(try json(served)["sections"] as? [NSDictionary])
            #expect(printed.first { $0["section"] as? String == section } == plain as NSDictionary?, "\(name)")
            let page = try run(
                SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/reports/\(name)?\(query)"]
            ).output
            #expect(page.contains("roll-up=false") && !page.contains("Candidates"), "\(name)")
        }
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("Columns, order and rows are chosen by the same options as those of reports without a name")
    func choice() throws {
        let csv = try report(
            "performance", "--section", "campaigns", "--by", "network", "--columns", "value-rate,installs", "--sort",
            "-installs", "--no-compare", "--format", "csv", "--quiet")
        #expect(csv.output.hasPrefix("network,currency,value-rate,installs\r\n"), "\(csv)")
        let unknown = try report("wins", "--columns", "instals")
        #expect(unknown.status == 2 && unknown.errors.contains("columns: found instals, expected a column: days has"))
    }

    @Test("The console gives the same figures, and every format can be had from both")
    func console() throws {
        let server = try SkanServer(in: folder)
        func ask(_ query: String) throws -> String {
            try run(SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/v1/reports/\(query)"]).output
        }
        for name in [
            "overview", "performance", "campaigns", "sources", "conversions", "windows", "wins", "redownloads",
            "re-engagements", "tiers", "revenue", "costs", "delivery", "estimates",
        ] {
            let query = "\(name)?provenance=test&from=2026-09-15&to=2026-09-26"
            let served = try #require(try json(try ask(query))["sections"] as? [NSDictionary])
            for section in served where section["section"] as? String != "state" {
                let printed = try sections(name)[section["section"] as? String ?? ""]
                #expect(printed as NSDictionary? == section, "\(name)")
            }
            for format in ["table", "ndjson", "markdown", "html"] {
                let text = try ask("\(query)&format=\(format)&explain=true")
                #expect(!text.isEmpty && !text.contains("\"refused\""), "\(name) \(format)")
                let printed = try skan(
                    ["report", name, "--store", "skan.sqlite", "--test", "--explain", "--format", format] + Self.period)
                #expect(printed.status == 0 && (printed.output == text || name == "overview"), "\(name) \(format)")
            }
        }
        let csv = try ask("wins?provenance=test&section=apps&format=csv&period=2026-09")
        #expect(csv.hasPrefix("app,wins,previous-wins,"))
        #expect(try report("wins", "--section", "apps", "--format", "csv", "--period", "2026-09").output == csv)
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test(
        "What does not belong to a report is refused with the name of the option",
        arguments: [
            (["overviw"], "did you mean overview?"), (["wins", "--by", "app"], "by: found app with report wins"),
            (["campaigns", "--by", "day"], "by: found day with report campaigns"),
            (["performance", "--where", "country=DE"], "where: found country with report performance"),
            (["wins", "--histogram"], "--histogram is for reports without a name"),
            (["--section", "days"], "--section is for standard reports"),
            (["--format", "html"], "html is for standard reports"), (["--no-compare"], "--no-compare is for standard"),
            (["wins", "--format", "csv"], "section: found none"),
            (["delivery", "--where", "app=1"], "expected no filter"),
            (["costs", "--where", "country=DE"], "where: found country with report costs, expected network or app"),
        ])
    func refusals(_ arguments: [String], _ message: String) throws {
        let outcome = try skan(["report", "--store", "skan.sqlite"] + arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(message), "\(outcome)")
    }
}
