import Foundation
import StrictJSON
import Testing

@Suite("skan export")
struct ExportCommandTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder(recording: ["skan-3.0-win", "skan-4.0-web-fine", "skan-2.0-source-app"])
    }

    private func export(_ arguments: String...) throws -> SkanProcess.Outcome {
        try SkanProcess.run(
            SkanProcess.binary, ["export", "-s", "skan.sqlite"] + arguments, in: folder.url)
    }

    @Test("An export in parts is the whole export, with one line of names", arguments: ["ndjson", "csv"])
    func parts(_ format: String) throws {
        let whole = try export("--format", format, "--bodies")
        #expect(whole.status == 0 && whole.output.split(whereSeparator: \.isNewline).count == (format == "csv" ? 4 : 3))
        let part = try export("--format", format, "--bodies", "--limit", "2")
        let next = try #require(part.errors.split(separator: " ").last).trimmingCharacters(in: .newlines)
        #expect(part.errors == "next: --after \(next)\n")
        let rest = try export("--format", format, "--bodies", "--after", next)
        #expect(part.output + rest.output == whole.output)
        let none = try export("--after", String(try #require(rest.errors.split(separator: " ").last).dropLast()))
        #expect(none.status == 0 && none.output.isEmpty)
    }

    @Test("Bodies are as received, and only where they are asked for")
    func bodies() throws {
        let row = try #require(try export("--bodies").output.split(separator: "\n").first)
        let object = try #require(JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: Any])
        #expect(object["body"] as? String == (try CommandTests.body("skan-3.0-win")))
        #expect(try !export().output.contains("\"body\""))
    }

    @Test(
        "What cannot be exported is an error that says what is expected",
        arguments: [
            (["--after", "7"], "--after: found 7, expected a position printed by an export"),
            (["--after", "00000000-1"], "position 00000000-1 belongs to another store"),
            (["--limit", "0"], "expected --limit 1 or more"),
            (["--format", "xml"], "--format: found xml, expected one of ndjson, csv"),
        ])
    func refusals(_ arguments: [String], _ message: String) throws {
        let outcome = try SkanProcess.run(
            SkanProcess.binary, ["export", "-s", "skan.sqlite"] + arguments, in: folder.url)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(message), "\(outcome)")
    }
}
