import Foundation
import StrictJSON
import Testing

/// What a file of exported postbacks says, to programs that know nothing of `skan`.
@Suite("Exported files", .timeLimit(.minutes(10)))
struct ExportedFileTests: FolderSuite {
    let folder: WorkFolder

    /// Where pandas and DuckDB are installed; nil where they are not.
    static let frames: String? = {
        let folder = ProcessInfo.processInfo.environment["TEST_FRAMES"]
        return folder.flatMap { FileManager.default.fileExists(atPath: $0 + "/installed") ? $0 : nil }
    }()

    init() throws {
        folder = try WorkFolder()
        try skan("simulate", "--count", "400", "--faults", "0", "--output", "sim", "--keys", "keys")
        let bodies = try String(contentsOfFile: folder.path("sim/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n")
        for (day, half) in [("2026-11-01", bodies.prefix(200)), ("2026-11-02", bodies.dropFirst(200))] {
            try write(half.joined(separator: "\n") + "\n", to: "\(day).ndjson")
            #expect(try importing("--received", day, "\(day).ndjson").status == 0)
        }
    }

    private func importing(_ arguments: String..., store: String = "skan.sqlite") throws -> SkanProcess.Outcome {
        try skan(["import", "--store", store] + SkanServer.testKeys + arguments)
    }

    private func export(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(["export", "--store", "skan.sqlite", "--test"] + arguments)
    }

    private func rows(_ arguments: String...) throws -> [JSONObject] {
        try skan(["export", "--store", "skan.sqlite", "--test"] + arguments).output.split(separator: "\n")
            .map { try JSONObject(reading: Array($0.utf8)) }
    }

    @Test("Values have the types that they have in bodies, ids are strings, and absent is not null")
    func types() throws {
        let rows = try rows("--bodies")
        #expect(rows.count == 400)
        var kinds: Set<String> = []
        for row in rows {
            for name in ["position", "transaction-id", "network", "app", "conversion-kind"] {
                guard case .string? = row[name] else {
                    Issue.record("\(name) is no string")
                    return
                }
            }
            for name in ["campaign-id", "source-identifier", "source-app", "marketplace", "country"] {
                if case .string? = row[name] { continue }
                #expect(row[name] == .null, "\(name)")
            }
            guard case .string(let body)? = row["body"] else {
                Issue.record("there is no body")
                return
            }
            let members = try JSONObject(reading: Array(body.utf8))
            if members.has("version") {
                #expect(row["did-win"] == members["did-win"] ?? .null)
                #expect(row["redownload"] == members["redownload"] ?? .null)
                #expect(row["sequence-index"] == members["postback-sequence-index"] ?? .null)
                #expect(row["source-identifier"] == members["source-identifier"] ?? .null)
            }
            let (fine, coarse) = (members["conversion-value"], members["coarse-conversion-value"])
            let kind =
                fine == .null || coarse == .null ? "null" : fine != nil ? "fine" : coarse != nil ? "coarse" : "absent"
            #expect(row["conversion-kind"] == .string(kind))
            #expect(row["conversion-value"] == fine ?? .null)
            #expect(row["coarse-conversion-value"] == coarse ?? .null)
            kinds.insert(kind)
        }
        #expect(kinds.isSuperset(of: ["fine", "coarse", "absent"]))
    }

    @Test("Days and filters select rows, which a file has as standard output has them")
    func selection() throws {
        let all = try rows()
        func count(_ isCounted: (JSONObject) -> Bool) -> Int { all.count(where: isCounted) }
        #expect(try rows("--from", "2026-11-02").count == 200)
        #expect(try rows("--to", "2026-11-01", "--from", "2026-11").count == 200)
        #expect(try rows("--from", "2026-11-03").isEmpty)
        #expect(
            try rows("--where", "conversion-value=absent").count
                == count { $0["conversion-kind"] == .string("absent") })
        #expect(
            try rows("--where", "conversion-value!=absent", "--where", "redownload=true").count
                == count { $0["conversion-kind"] != .string("absent") && $0["redownload"] == .bool(true) })
        #expect(try rows("--where", "source-app=").count == count { $0["source-app"] == .null })
        #expect(try rows("--where", "recipient=developer").isEmpty)
        for format in ["ndjson", "csv"] {
            let arguments = ["--format", format, "--snake-case", "--from", "2026-11-02", "--where", "redownload=false"]
            let whole = try skan(["export", "--store", "skan.sqlite", "--test"] + arguments)
            #expect(whole.output.contains("received_at") && !whole.output.contains("received-at"))
            let saved = try skan(["export", "--store", "skan.sqlite", "--test", "-o", "rows"] + arguments)
            #expect(saved.status == 0 && saved.output.isEmpty && saved.errors == whole.errors)
            #expect(try String(contentsOfFile: folder.path("rows"), encoding: .utf8) == whole.output)
            let part = try skan(["export", "--store", "skan.sqlite", "--test", "--limit", "7"] + arguments)
            let next = try #require(part.errors.split(separator: " ").last).trimmingCharacters(in: .newlines)
            let rest = try skan(["export", "--store", "skan.sqlite", "--test", "--after", next] + arguments)
            #expect(part.output + rest.output == whole.output)
        }
    }

    @Test("A file stays as it was when an export fails")
    func failure() throws {
        try write("before\n", to: "rows")
        let outcome = try export("--after", "00000000-1", "-o", "rows")
        #expect(outcome.status == 2 && outcome.errors.contains("belongs to another store"), "\(outcome)")
        #expect(try String(contentsOfFile: folder.path("rows"), encoding: .utf8) == "before\n")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test(
        "What selects nothing that can be is refused",
        arguments: [
            (["--from", "2026-13"], "from: found 2026-13"), (["--where", "day=2026-11-01"], "another dimension"),
            (["--from", "2026-11-02", "--to", "2026-11-01"], "a day not before 2026-11-02"),
            (["--where", "ap=1"], "did you mean app?"), (["-o", "."], "cannot write .: it is a folder"),
        ])
    func refusals(_ arguments: [String], _ message: String) throws {
        let outcome = try skan(["export", "--store", "skan.sqlite", "--test"] + arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(message), "\(outcome)")
    }

    @Test("An export with names in snake case is imported as any other", arguments: ["ndjson", "csv"])
    func imported(_ format: String) throws {
        #expect(try export("--bodies", "--snake-case", "--format", format, "-o", "rows").status == 0)
        let outcome = try importing("rows", store: "second.sqlite")
        #expect(outcome.output.contains("recorded 400, duplicate 0,"), "\(outcome)")
        let names = ["received-at", "transaction-id", "conversion-kind"]
        let copies = try skan("export", "--store", "second.sqlite", "--test").output.split(separator: "\n").map {
            line in
            let row = try JSONObject(reading: Array(line.utf8))
            return names.map { row[$0] }
        }
        #expect(try Set(rows().map { row in names.map { row[$0] } }) == Set(copies))
    }

    @Test(
        "pandas and DuckDB read ids, numbers and booleans as such, without a cast",
        .enabled(
            if: ExportedFileTests.frames != nil,
            "pandas and DuckDB are not installed; make test installs them from PyPI"))
    func analysis() throws {
        let python = URL(fileURLWithPath: try #require(Self.frames) + "/bin/python3")
        #expect(try export("--snake-case", "-o", "all.ndjson").status == 0)
        let script = CommandTests.root.appendingPathComponent("Tests/skanTests/Fixtures/read_export.py").path
        let outcome = try run(python, [script, "all.ndjson", "all.parquet"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}

/// Figures for programs with their own idea of CSV.
@Suite("CSV for spreadsheets", .timeLimit(.minutes(5)))
struct SpreadsheetTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder(recording: ["skan-3.0-win", "skan-4.0-web-fine", "skan-2.0-source-app"])
    }

    private func report(_ arguments: String...) throws -> SkanProcess.Outcome {
        try skan(
            ["report", "-s", "skan.sqlite", "--by", "app", "--columns", "installs,redownload-rate", "--quiet"]
                + arguments)
    }

    @Test(
        "Delimiter and decimal mark change, and the figures stay",
        arguments: [(";", ",", ";"), (";", ".", ";"), ("tab", ",", "\t"), ("tab", ".", "\t")])
    func styles(_ delimiter: String, _ decimal: String, _ character: String) throws {
        let plain = try report("--format", "csv").output
        let styled = try report("--format", "csv", "--delimiter", delimiter, "--decimal", decimal)
        #expect(styled.status == 0, "\(styled.errors)")
        #expect(styled.output.contains(character) && styled.output.contains(decimal))
        #expect(styled.output.replacing(decimal, with: ".").replacing(character, with: ",") == plain)
    }

    @Test("A file for Excel begins with a byte order mark, and no other does")
    func byteOrderMark() throws {
        for (arguments, begins) in [(["--bom"], true), ([], false)] {
            let outcome = try skan(
                ["report", "wins", "-s", "skan.sqlite", "--section", "apps", "--format", "csv", "-o", "wins.csv"]
                    + arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let bytes = try Data(contentsOf: folder.url.appendingPathComponent("wins.csv"))
            #expect(bytes.starts(with: [0xEF, 0xBB, 0xBF]) == begins)
            #expect(bytes.starts(with: (begins ? [0xEF, 0xBB, 0xBF] : []) + Array("app,".utf8)))
        }
    }

    @Test(
        "Options that would be ignored, or make figures two cells, are refused",
        arguments: [
            (["--bom"], "--bom is for --format csv"), (["--format", "json", "--decimal", ","], "--decimal is for"),
            (["--format", "csv", "--decimal", ","], "a comma, which is also the delimiter"),
            (["--format", "csv", "--delimiter", "|"], "--delimiter: found |"),
        ])
    func refusals(_ arguments: [String], _ message: String) throws {
        let outcome = try skan(["report", "-s", "skan.sqlite"] + arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(message), "\(outcome)")
    }
}
