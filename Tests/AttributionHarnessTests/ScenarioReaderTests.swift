import Attribution
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

        init(_ testDescription: String, _ change: (String, String), _ problem: String, cure: String) {
            self.testDescription = testDescription
            (text, replacement) = change
            self.problem = problem
            self.cure = cure
        }
    }

    private static func rules(_ name: String, _ configuration: String, _ problem: String, cure: String) -> Mistake {
        let member = #""developer-copies": {"#
        return Mistake(
            name, (member, #""AdAttributionKitConfigurations": {\#(configuration)}, "# + member),
            "apps[0].AdAttributionKitConfigurations.\(problem)", cure: cure)
    }

    static let mistakes = [
        Mistake(
            "a misspelt name", (#""installs""#, #""instals""#),
            "campaigns[0].instals: found the number 150, expected one of the names name, network, ",
            cure: "write installs"),
        Mistake(
            "a name that is none", (#""days": 40"#, #""days": 40, "colour": "red""#),
            #"colour: found the string "red", expected one of the names scenario, about, days, "#, cure: "remove it"),
        Mistake(
            "a number in quotes", (#""days": 40"#, #""days": "40""#),
            #"days: found the string "40", expected a whole number from 1 to 3650"#,
            cure: "write a number of that range"),
        Mistake(
            "a share above 1", (#""comes-back": 0.5"#, #""comes-back": 50"#),
            "behavior[0].comes-back: found the number 50, expected a number from 0 to 1",
            cure: "write a number of that range"),
        Mistake(
            "an app that is not there", (#""app": "puzzle""#, #""app": "puzle""#),
            #"campaigns[0].app: found "puzle", expected one of puzzle"#, cure: #"write "puzzle""#),
        Mistake(
            "a fault that is none", (#""slow-body""#, #""slow_body""#),
            #"faults[2].fault: found "slow_body", expected one of repeated, reordered, "#, cure: #"write "slow-body""#),
        Mistake(
            "a version that is none", (#""AdAttributionKit": 20"#, #""5.0": 20"#),
            #"campaigns[0].versions[0].shares: found "5.0", expected one of 1.0, 2.0, "#,
            cure: "name one of the versions, or add this one there"),
        Mistake(
            "a currency that is none",
            (
                #""installs": 150"#,
                #""installs": 150, "costs": {"ads": 300, "per-thousand": 4.5, "currency": "usd"}"#
            ),
            #"campaigns[0].costs.currency: found "usd", expected a code of ISO 4217"#,
            cure: "write one such as USD or EUR"),
        Mistake(
            "no networks", (#""networks""#, #""netwerks""#), "netwerks: found an array, expected one of the names ",
            cure: "write networks"),
        Mistake(
            "a country that is none", (#""US": 50"#, #""usa": 50"#),
            #"apps[0].countries: found "usa", expected codes of two capitals"#,
            cure: "write ISO 3166 codes such as US or DE"),
        Mistake(
            "an endpoint that is none", (#""SKAdNetwork": "ours""#, #""SKAdNetwork": "https://example.com""#),
            #"apps[0].developer-copies.SKAdNetwork: found "https://example.com", expected ours or elsewhere"#,
            cure: "write ours where the developer's endpoint is our server, and elsewhere where it is not"),
        rules(
            "a window of too many days", #""AttributionWindows": {"global": {"install": {"view": 8}}}"#,
            "AttributionWindows.global.install.view: found the number 8, expected a whole number from 1 to 7",
            cure: "write a number of that range"),
        rules(
            "an interaction that is ignored of all networks",
            #""AttributionWindows": {"global": {"install": {"ignoreInteractionType": "view"}}}"#,
            #"AttributionWindows.global.install.ignoreInteractionType: found the string "view", expected one of "#,
            cure: "remove it"),
        rules(
            "a window of a network that is not there", #""AttributionWindows": {"rival456.skadnet": {}}"#,
            #"AttributionWindows.rival456.skadnet: found "rival456.skadnet", expected one of global, example123."#,
            cure: #"write "rival456.skadnetwork""#),
        rules(
            "a cooldown as a slide of Apple's spells it", #""AttributionCooldown": {"reengagement-cooldown-hours": 1}"#,
            "AttributionCooldown.reengagement-cooldown-hours: found the number 1, expected one of the names ",
            cure: "write re-engagement-cooldown-hours"),
        Mistake(
            "an app beside a domain", (#""app": 1234567891"#, #""app": 1234567891, "domain": "example.com""#),
            "sources[0].app: found an app beside a domain, expected either app or domain",
            cure: "write the one that shows the ads"),
        Mistake(
            "a name twice", (#""days": 40"#, #""days": 40, "days": 41"#), "scenario: found ",
            cure: "compare it with a file of samples/scenarios"),
        Mistake(
            "Apple Ads with 4.0", ("example123.skadnetwork", "com.apple.ads"),
            "campaigns[0].versions: found 4.0 for com.apple.ads, expected 1.0 to 3.0 and AdAttributionKit",
            cure: "leave 4.0 out"),
        Mistake(
            "web ads of other versions", (#""word game": 70, "#, ""),
            "campaigns[0].sources: found sites alone, expected an app among them",
            cure: "add a source with an app, or let all versions be 4.0"),
    ]

    @Test("A mistake is named with its field, its value, what was expected and the cure", arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        let text = try Self.text("outage").replacingOccurrences(of: mistake.text, with: mistake.replacement)
        let problem = #expect(throws: DocumentProblem.self) {
            try Scenario(file: Array(text.utf8))
        }
        #expect(problem?.description.hasPrefix(mistake.problem) == true, "\(problem?.description ?? "")")
        #expect(problem?.cure == mistake.cure)
    }
}
