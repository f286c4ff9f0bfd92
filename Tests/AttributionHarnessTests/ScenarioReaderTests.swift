import AttributionHarness
import Foundation
import Testing

@Suite("Reading scenarios")
struct ScenarioReaderTests {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("samples/scenarios")
    static let samples = [
        "launch", "small-network", "fraud-wave", "migration", "outage", "schema-change",
    ]

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent("\(name).json"), encoding: .utf8)
    }

    @Test("The samples are read, and are short enough to be", arguments: samples)
    func sample(_ name: String) throws {
        let text = try Self.text(name)
        let scenario = try Scenario(file: Array(text.utf8))
        #expect(!scenario.about.isEmpty)
        #expect(text.split(separator: "\n").count <= 60)
    }

    @Test("Every file of the folder is a sample that is tested")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(Self.samples.map { "\($0).json" }))
    }

    /// A change to a sample, and what is said of it.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let replacement: String
        let problem: String
        let cure: String
    }

    static let mistakes = [
        Mistake(
            testDescription: "a misspelt name", text: "\"installs\"", replacement: "\"instals\"",
            problem: "campaigns[1].instals: found the number 150, expected one of the names name, network, ",
            cure: "write installs"),
        Mistake(
            testDescription: "a name that is none", text: "\"days\": 40",
            replacement: "\"days\": 40, \"colour\": \"red\"",
            problem: "colour: found the string \"red\", expected one of the names scenario, about, days, ",
            cure: "remove it"),
        Mistake(
            testDescription: "a number in quotes", text: "\"days\": 40", replacement: "\"days\": \"40\"",
            problem: "days: found the string \"40\", expected a whole number from 1 to 3650",
            cure: "write a number of that range"),
        Mistake(
            testDescription: "a share above 1", text: "\"comes-back\": 0.5", replacement: "\"comes-back\": 50",
            problem: "behavior[1].comes-back: found the number 50, expected a number from 0 to 1",
            cure: "write a number of that range"),
        Mistake(
            testDescription: "an app that is not there", text: "\"app\": \"puzzle\"", replacement: "\"app\": \"puzle\"",
            problem: "campaigns[1].app: found \"puzle\", expected one of puzzle", cure: "write \"puzzle\""),
        Mistake(
            testDescription: "a fault that is none", text: "\"slow-body\"", replacement: "\"slow_body\"",
            problem: "faults[3].fault: found \"slow_body\", expected one of repeated, reordered, ",
            cure: "write \"slow-body\""),
        Mistake(
            testDescription: "a version that is none", text: "\"AdAttributionKit\": 20", replacement: "\"5.0\": 20",
            problem: "campaigns[1].versions[1].shares: found \"5.0\", expected one of 1.0, 2.0, ",
            cure: "name one of the versions, or add this one there"),
        Mistake(
            testDescription: "no networks", text: "\"networks\"", replacement: "\"netwerks\"",
            problem: "netwerks: found an array, expected one of the names ", cure: "write networks"),
        Mistake(
            testDescription: "a country that is none", text: "\"US\": 50", replacement: "\"usa\": 50",
            problem: "apps[1].countries: found \"usa\", expected codes of two capitals",
            cure: "write ISO 3166 codes such as US or DE"),
        Mistake(
            testDescription: "an endpoint that is none", text: "\"SKAdNetwork\": \"ours\"",
            replacement: "\"SKAdNetwork\": \"https://example.com\"",
            problem: "apps[1].developer-copies.SKAdNetwork: found \"https://example.com\", expected ours or elsewhere",
            cure: "write ours where the developer's endpoint is our server, and elsewhere where it is not"),
        Mistake(
            testDescription: "an app beside a domain", text: "\"app\": 1234567891",
            replacement: "\"app\": 1234567891, \"domain\": \"example.com\"",
            problem: "sources[1].app: found an app beside a domain, expected either app or domain",
            cure: "write the one that shows the ads"),
        Mistake(
            testDescription: "a name twice", text: "\"days\": 40", replacement: "\"days\": 40, \"days\": 41",
            problem: "scenario: found ", cure: "compare it with a file of samples/scenarios"),
        Mistake(
            testDescription: "Apple Ads with 4.0", text: "example123.skadnetwork", replacement: "com.apple.ads",
            problem: "campaigns[1].versions: found 4.0 for com.apple.ads, expected 1.0 to 3.0 and AdAttributionKit",
            cure: "leave 4.0 out"),
        Mistake(
            testDescription: "web ads of other versions", text: "\"word game\": 70, ", replacement: "",
            problem: "campaigns[1].sources: found sites alone, expected an app among them",
            cure: "add a source with an app, or let all versions be 4.0"),
    ]

    @Test("A mistake is named with its field, its value, what was expected and the cure", arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        let text = try Self.text("outage").replacingOccurrences(of: mistake.text, with: mistake.replacement)
        let problem = #expect(throws: ScenarioProblem.self) {
            try Scenario(file: Array(text.utf8))
        }
        #expect(problem?.description.hasPrefix(mistake.problem) == true, "\(problem?.description ?? "")")
        #expect(problem?.cure == mistake.cure)
    }
}
