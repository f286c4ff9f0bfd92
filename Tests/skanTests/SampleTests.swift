import Foundation
import StrictJSON
import Testing

/// What the README's commands use is what it says it is.
@Suite("Samples")
struct SampleTests {
    static let samples = CommandTests.root.appendingPathComponent("samples")

    @Test("The published postbacks verify with Apple's keys")
    func published() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Self.samples.appendingPathComponent("postbacks").path)
        #expect(files.count == 8)
        let outcome = try SkanProcess.run(["verify"] + files.map { "postbacks/\($0)" }, in: Self.samples)
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(!outcome.output.contains("TEST"))
    }

    @Test("The simulated postbacks verify with their test keys, and give the report beside them")
    func simulated() throws {
        let folder = try WorkFolder()
        try FileManager.default.copyItem(
            at: Self.samples.appendingPathComponent("simulated"), to: folder.url.appendingPathComponent("keys"))
        let verified = try SkanProcess.run(["verify", "keys/postbacks.ndjson"] + SkanServer.testKeys, in: folder.url)
        #expect(verified.status == 0)

        let server = try SkanServer(in: folder)
        let lines = try String(contentsOf: folder.url.appendingPathComponent("keys/postbacks.ndjson"), encoding: .utf8)
        for line in lines.split(separator: "\n") {
            let answer = try SkanProcess.run(
                SkanProcess.curl,
                ["-s", "-H", "Content-Type: application/json", "--data-binary", String(line), server.url],
                in: folder.url)
            #expect(answer.output.contains("\"recorded\""))
        }
        let file = try Data(contentsOf: folder.url.appendingPathComponent("keys/expected-report.json"))
        let expected = try #require(JSONSerialization.jsonObject(with: file) as? [String: Any])
        #expect(expected["schema"] as? String == "skan.expected/1")
        // The bodies come without their times, so only the other breakdowns can be compared.
        let views = try #require(expected["views"] as? [[String: Any]]).filter {
            ($0["by"] as? [String])?.contains("day") == false
        }
        #expect(views.count > 4)
        for view in views {
            let dimensions = try #require(view["by"] as? [String])
            let report = try SkanProcess.run(
                [
                    "report", "--store", "skan.sqlite", "--test", "--format", "json", "--by",
                    dimensions.joined(separator: ","),
                ], in: folder.url)
            let figures = try Self.figures(of: report.output, by: dimensions)
            #expect(figures == view["figures"] as? [String: Int], "\(dimensions)")
        }
    }

    /// The figures of a report other than 0, named after their paths, such as `row 525463029: installs`.
    private static func figures(of report: String, by dimensions: [String]) throws -> [String: Int] {
        let root = try #require(JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any])
        var figures: [String: Int] = [:]
        func collect(_ value: Any, _ path: String) {
            if let members = value as? [String: Any] {
                for (name, member) in members where !name.hasSuffix("-rate") && !name.hasSuffix("-mean") {
                    collect(member, "\(path) \(name)")
                }
            } else if let number = value as? Int, number != 0 {
                figures[path] = number
            }
        }
        for row in try #require(root["rows"] as? [[String: Any]]) {
            let key = dimensions.map { row[$0] as? String ?? "–" }.joined(separator: " ")
            collect(row.filter { !dimensions.contains($0.key) }, "row \(key):")
        }
        collect(root["totals"] ?? [:], "totals:")
        return figures
    }
}
