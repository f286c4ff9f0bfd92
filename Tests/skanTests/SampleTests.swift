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
        let report = try SkanProcess.run(
            [
                "report", "--store", "skan.sqlite", "--test", "--format", "json",
                "--by", "network,app,campaign-id,source-identifier",
            ], in: folder.url)
        func figures(_ text: String) throws -> NSDictionary {
            try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
        }
        let expected = try String(
            contentsOf: folder.url.appendingPathComponent("keys/expected-report.json"), encoding: .utf8)
        for part in ["totals", "deliveries"] {
            #expect(try figures(report.output)[part] as? NSDictionary == figures(expected)[part] as? NSDictionary)
        }
        #expect(
            (try figures(report.output)["rows"] as? [Any])?.count == (try figures(expected)["rows"] as? [Any])?.count)
    }
}
