import Foundation
import StrictJSON
import Testing

@Suite("skan publish")
struct PublishTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private static let command = [
        "publish", "skadnetworkids", "--company-name", "Example & Sons", "--company-domain", "example.com",
    ]

    private func publish(_ arguments: String...) throws -> SkanProcess.Outcome {
        try SkanProcess.run(Self.command + arguments, in: folder.url)
    }

    @Test("A folder gets every file, and each piece alone is the same text")
    func files() throws {
        let ids = ["--id", "abc123.skadnetwork@2024-05-01", "--id", "abc123.adattributionkit"]
        let outcome = try SkanProcess.run(Self.command + ids + ["--output", "public"], in: folder.url)
        #expect(outcome.status == 0)
        #expect(outcome.output == "")
        let pieces = [
            ("json", "skadnetworkids.json"), ("xml", "skadnetworkids.xml"), ("source-app", "source-app.plist"),
            ("advertised-app", "advertised-app.plist"),
        ]
        for (piece, name) in pieces {
            let file = folder.url.appendingPathComponent("public/\(name)")
            let text = try String(contentsOf: file, encoding: .utf8)
            let alone = try SkanProcess.run(Self.command + ids + ["--piece", piece], in: folder.url)
            #expect(alone.output == text)
            let data = Data(text.utf8)
            if piece == "json" {
                let list = try JSONSerialization.jsonObject(with: data) as? [String: Any]
                #expect(list?["company_name"] as? String == "Example & Sons")
                let entries = list?["skadnetwork_ids"] as? [[String: String]]
                #expect(entries?.map { $0["creation_date"] } == ["2024-05-01T00:00:00Z"])
            } else {
                #expect(try PropertyListSerialization.propertyList(from: data, format: nil) is [String: Any])
            }
        }
    }

    @Test("Ids of AdAttributionKit alone leave the lists of SKAdNetwork unwritten, and say so")
    func newFrameworkOnly() throws {
        let outcome = try publish("--id", "abc123.adattributionkit", "--output", ".")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("no skadnetworkids.json"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("skadnetworkids.json")))
        #expect(try publish("--id", "abc123.adattributionkit", "--piece", "xml").status == 2)
    }

    @Test(
        "Bad input names field, value and expectation",
        arguments: [
            (["--id", "ABC123.skadnetwork", "--piece", "json"], "id: found ABC123.skadnetwork, expected a-z 0-9"),
            (["--id", "abc.skadnetwork@May", "--piece", "json"], "id abc.skadnetwork: found the day May"),
            (["--id", "a.skadnetwork", "--id", "a.skadnetwork", "--piece", "json"], "found a.skadnetwork twice"),
            (
                ["--id", "a.skadnetwork", "--copy-domain", "https://a.b", "--piece", "xml"],
                "--copy-domain: found \"https"
            ),
            (["--id", "a.skadnetwork"], "expected one of --output FOLDER and --piece PIECE"),
            (["--id", "a.skadnetwork", "--output", "/proc/none"], "cannot write to /proc/none"),
        ])
    func badInput(_ arguments: [String], _ message: String) throws {
        let outcome = try SkanProcess.run(Self.command + arguments, in: folder.url)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
}
