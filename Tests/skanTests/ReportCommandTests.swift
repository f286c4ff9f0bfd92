import Attribution
import Foundation
import StrictJSON
import Testing

@Suite("skan report")
struct ReportCommandTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder(recording: ["skan-3.0-win", "skan-4.0-web-fine", "skan-2.0-source-app"])
    }

    /// Runs the command with an environment of its own.
    private func report(_ arguments: [String], _ environment: String...) throws -> SkanProcess.Outcome {
        try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["-u", "LC_ALL", "-u", "LANG", "-u", "COLUMNS", "LC_CTYPE=C.UTF-8"] + environment
                + [SkanProcess.binary.path, "report"] + arguments)
    }

    @Test(
        "The store is named by -s, --store or SKAN_STORE",
        arguments: [["-s", "skan.sqlite"], ["--store", "skan.sqlite"], []])
    func store(_ option: [String]) throws {
        let outcome = try report(
            option + ["--by", "", "--format", "json"], option.isEmpty ? "SKAN_STORE=skan.sqlite" : "A=b")
        #expect(outcome.status == 0 && outcome.output.contains("\"postbacks\": 3"))
    }

    @Test(
        "Tables are as wide as COLUMNS says, and 120 columns where there is no terminal", arguments: [60, 80, 200, nil])
    func width(_ width: Int?) throws {
        let outcome = try report(["-s", "skan.sqlite"], width.map { "COLUMNS=\($0)" } ?? "A=b")
        let longest = outcome.output.split(separator: "\n").map(\.count).max() ?? 0
        #expect(longest <= width ?? 120 && longest > (width ?? 120) - 25)
        #expect(outcome.output.contains("more columns: --columns "))
    }

    @Test("Rules are ASCII where the locale is not UTF-8")
    func locale() throws {
        let plain = try report(["-s", "skan.sqlite", "--histogram"], "LC_ALL=C").output
        #expect(plain.utf8.allSatisfy { $0 < 0x80 } && plain.contains("----") && plain.contains("####"))
        #expect(try report(["-s", "skan.sqlite", "--histogram"]).output.contains("────"))
    }

    @Test("Days of the install are bounds by Apple's timers and an estimate, and said to be")
    func installDays() throws {
        let arguments = ["-s", "skan.sqlite", "--by", "day,version,install-day", "--columns", "installs"]
        let outcome = try report(arguments + ["--format", "csv"])
        let rows = outcome.output.split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",").map { String($0) } }
        #expect(rows.first == ["day", "version", "install-days", "install-day-estimate", "installs"])
        #expect(rows.count == 4)
        for row in rows.dropFirst() {
            let day = try #require(CalendarDay(row[0]))
            let most: Int64 = row[1] == "4.0" ? 4 : 65
            #expect(row[2] == "\(day.advanced(by: -most))/\(day.advanced(by: -1))" && row[4] == "1")
            let estimate = try #require(CalendarDay(row[3]))
            #expect((day.advanced(by: -4)...day.advanced(by: -1)).contains(estimate))
        }
        for text in [outcome.errors, try report(arguments).output] {
            #expect(text.replacing("\n  ", with: " ").contains("The estimate is one of these days"))
        }
    }

    @Test("A sorted report of some columns, into a file that is replaced, without a word")
    func file() throws {
        let arguments = [
            "-s", "skan.sqlite", "--by", "version", "--sort", "-version", "--columns", "installs,wins", "--format",
            "csv",
            "-o", "report.csv",
        ]
        for words in [[], ["-q"], ["--quiet"]] {
            let outcome = try report(arguments + words)
            #expect(outcome.status == 0 && outcome.output == "")
            #expect(outcome.errors.isEmpty == !words.isEmpty, "\(outcome.errors)")
            let text = try String(contentsOfFile: folder.path("report.csv"), encoding: .utf8)
            #expect(text == "version,installs,wins\r\n4.0,1,1\r\n3.0,1,1\r\n2.0,1,0\r\n")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!files.contains { $0.hasSuffix(".tmp") })
    }

    @Test("A file that is replaced keeps its mode, and a symlink to it or to a new one stays")
    func replaced() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder.path("far"), withIntermediateDirectories: true)
        for (name, target, mode) in [("old.csv", "far/old.csv", 0o600), ("new.csv", "far/new.csv", nil)] {
            if let mode {
                try Data("old".utf8).write(to: folder.url.appendingPathComponent(target))
                try files.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path(target))
            }
            try files.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
            let outcome = try report(["-s", "skan.sqlite", "--by", "version", "--format", "csv", "-q", "-o", name])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try files.destinationOfSymbolicLink(atPath: folder.path(name)) == target)
            let text = try String(contentsOfFile: folder.path(target), encoding: .utf8)
            #expect(text.hasPrefix("version,"))
            if let mode {
                let kept = try files.attributesOfItem(atPath: folder.path(target))[.posixPermissions] as? NSNumber
                #expect(kept?.intValue == mode)
            }
        }
        #expect(try files.contentsOfDirectory(atPath: folder.path("far")).sorted() == ["new.csv", "old.csv"])
    }

    @Test("A report goes into a FIFO, whose reader gets it")
    func fifo() throws {
        #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
        let outcome = try run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c", "timeout 20 cat fifo & \"$0\" report -s skan.sqlite --by version --format csv -q -o fifo; wait",
                SkanProcess.binary.path,
            ])
        #expect(outcome.output.hasPrefix("version,"), "\(outcome)")
        // Still a FIFO: `[ -p FILE ]`.
        let test = URL(fileURLWithPath: "/usr/bin/test")
        #expect(try run(test, ["-p", "fifo"]).status == 0)
    }

    @Test("A file that cannot be written is named", arguments: [".", "nowhere/report.csv"])
    func unwritable(_ file: String) throws {
        let outcome = try report(["-s", "skan.sqlite", "-o", file])
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("skan: error: cannot write \(file): "))
    }

    @Test("A report as of an earlier position counts what had been recorded then")
    func asOf() throws {
        let now = try report(["-s", "skan.sqlite", "--by", "", "--format", "json"]).output
        let object = try #require(JSONSerialization.jsonObject(with: Data(now.utf8)) as? [String: Any])
        let position = try #require(object["as-of"] as? String)
        let store = position.prefix(9)
        #expect(position.hasPrefix(store + "3-"))
        let earlier = "\(store)1"
        let outcome = try report(["-s", "skan.sqlite", "--by", "version", "--as-of", earlier])
        #expect(outcome.output.contains("\nAs of \(earlier), recorded "))
        #expect(outcome.output.contains("\n3.0") && !outcome.output.contains("\n4.0"))
        #expect(outcome.output.contains("Deliveries until now: received 3"))
        let future = try report(["-s", "skan.sqlite", "--as-of", "\(store)9"])
        #expect(future.status == 2 && future.errors.contains("which this store has not reached"))
    }
}

@Suite("skan export")
struct ExportCommandTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder(recording: ["skan-3.0-win", "skan-4.0-web-fine", "skan-2.0-source-app"])
    }

    private func export(_ arguments: String...) throws -> SkanProcess.Outcome {
        try run(SkanProcess.binary, ["export", "-s", "skan.sqlite"] + arguments)
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
        let outcome = try run(SkanProcess.binary, ["export", "-s", "skan.sqlite"] + arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(message), "\(outcome)")
    }
}
