import Foundation
import TestSupport
import Testing

@Suite("The demo of a month")
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
            #expect(number(row["installs"]) == own.compactMap { number($0["installs"]) }.reduce(0, +), "\(row)")
        }
    }

    @Test("A month that ends today is served with its costs, the second time as it was made the first time")
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
            // None of it is among the figures of real ads.
            let real = try Self.sections(try ask(console, "/v1/reports/costs"))
            #expect((real["impressions"]?["totals"] as? [String: Any])?["impressions"] is NSNull)
            #expect((real["spend"]?["rows"] as? [Any])?.isEmpty == true)
            demo.send(SIGTERM)
            demo.waitUntilExit()
            #expect(demo.terminationStatus == 0)
        }
        let days = reports[0].split(whereSeparator: \.isNewline).filter { $0.contains(#/^\d{4}-\d\d-\d\d,[1-9]/#) }
        #expect((29...31).contains(days.count), "\(reports[0])")
        #expect(reports[0] == reports[1])
        #expect(costs[0] == costs[1])
    }
}
