import Foundation
import Testing

@Suite("Completions, manual pages and the version")
struct HelpTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func skan(_ arguments: String...) throws -> SkanProcess.Outcome {
        try SkanProcess.run(arguments, in: folder.url)
    }

    // MARK: completion

    @Test(
        "Each shell has its script",
        arguments: [("bash", "complete "), ("zsh", "#compdef skan"), ("fish", "complete -c 'skan'")])
    func scripts(_ shell: String, _ text: String) throws {
        let outcome = try skan("completion", shell)
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(outcome.output.contains(text) && outcome.output.hasSuffix("\n"))
    }

    @Test(
        "bash completes commands, options, names in lists, words and files",
        arguments: [
            (["ver"], ["verify", "version"]),
            (["report", "--hist"], ["--histogram"]),
            (["report", "re"], ["re-engagements", "redownloads", "revenue"]),
            (["report", "wins", "--section", "count"], ["countries"]),
            (["report", "--by", "camp"], ["campaign", "campaign-id"]),
            (["report", "--by", "day,netw"], ["day,network"]),
            (["report", "--by", "network,netw"], []),
            (["report", "--columns", "installs,redownload-r"], ["installs,redownload-rate"]),
            (["report", "--sort", "-inst"], ["-installs"]),
            (["report", "--where", "mark"], ["marketplace="]),
            (["report", "--period", "last"], ["last-month", "last-week"]),
            (["report", "--time-zone", "Europe/Berl"], ["Europe/Berlin"]),
            (["report", "--format", "c"], ["csv"]),
            (["report", "--store", "skan.sq"], ["skan.sqlite"]),
            (["verify", "post"], ["postback.json"]),
            (["sign", "--key", "k"], ["key.pem"]),
            (["sign", "--version", "2"], ["2.0", "2.1", "2.2"]),
            (["sign", "--network", "k"], []),
            (["tokens", "create", "--scope", "sign,rep"], ["sign,report"]),
            (["completion", "z"], ["zsh"]),
            (["help", "ver"], ["verify", "version"]),
            (["help", "keys", "ch"], ["check"]),
            (["help", "serve", "x"], []),
            (["serve", "--log-format", ""], ["json", "text"]),
            (["serve", "--log-level", "war"], ["warning"]),
            (["sign", "--fidelity", ""], ["0", "1"]),
            (["replay", "--to", "yes"], ["yesterday"]),
        ])
    func bash(_ words: [String], _ completions: [String]) throws {
        try Data(skan("completion", "bash").output.utf8).write(to: folder.url.appendingPathComponent("skan.bash"))
        for file in ["skan.sqlite", "postback.json", "key.pem"] {
            try Data().write(to: folder.url.appendingPathComponent(file))
        }
        let program = """
            PATH="$(dirname "$0"):$PATH"; source ./skan.bash
            COMP_WORDS=(skan "$@"); COMP_CWORD=$#; COMP_LINE="skan $*"; COMP_POINT=${#COMP_LINE}
            _skan skan "${@: -1}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}" | sort -u
            """
        let outcome = try SkanProcess.run(
            URL(fileURLWithPath: "/bin/bash"), ["-c", program, SkanProcess.binary.path] + words, in: folder.url)
        #expect(outcome.output.split(separator: "\n").map { String($0) } == completions, "\(outcome.errors)")
    }

    // MARK: manual

    @Test("Every command has a page, and no line of text is taken for a macro")
    func pages() throws {
        #expect(try skan("manual", "--output", "man1").status == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("man1"))
        #expect(Set(files).isSuperset(of: ["skan.1", "skan-report.1", "skan-keys-check.1", "skan-version.1"]))
        #expect(!files.contains("skan-manual.1") && !files.contains("skan-help.1"))
        let macros: Set<Substring> = [".TH", ".SH", ".TP", ".PP", ".nf", ".fi"]
        for file in files {
            let text = try String(contentsOfFile: folder.path("man1/\(file)"), encoding: .utf8)
            let lines = text.split(separator: "\n")
            #expect(lines.first?.hasPrefix(".TH \"SKAN") == true)
            let strange = lines.filter { $0.hasPrefix(".") || $0.hasPrefix("'") }
                .filter { !macros.contains($0.prefix { $0 != " " }) }
            #expect(strange == [], "\(file)")
        }
        let report = try String(contentsOfFile: folder.path("man1/skan-report.1"), encoding: .utf8)
        #expect(report.contains("\n.TP\n\\fB\\-s, \\-\\-store STORE\\fR\n"))
        #expect(report.contains("\n.SH EXAMPLES\n.nf\nskan report overview \\-s skan.sqlite "))
        #expect(report.hasSuffix("\n.SH SEE ALSO\n\\fBskan\\fR(1)\n"))
    }

    // MARK: help

    @Test("An example stays in one piece on a narrow terminal, and the text around it does not")
    func narrow() throws {
        let outcome = try SkanProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["COLUMNS=40", SkanProcess.binary.path, "help", "sign"],
            in: folder.url)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        let example =
            "  skan sign --version 4.0 --network example123.skadnetwork --source-identifier 5239 \\"
        #expect(lines.contains { $0 == example }, "\(outcome.output)")
        #expect(lines.filter { !$0.hasPrefix("  ") }.allSatisfy { $0.count <= 40 })
        #expect(outcome.output.contains("\n\nUSAGE: skan sign <options>\n\nOPTIONS:\n"))
        #expect(outcome.output.hasPrefix("OVERVIEW: Sign an ad impression, or a\nfile of orders.\n\nEvery value "))
    }

    @Test("The commands are grouped by what they are for")
    func groups() throws {
        let sections = try skan("help").output.split(separator: "\n\n").filter { $0.contains(" SUBCOMMANDS:\n") }
        let names = sections.map { section in
            section.split(separator: "\n").dropFirst().filter { $0.dropFirst(2).first != " " }
                .compactMap { $0.split(separator: " ").first }
        }
        #expect(
            sections.compactMap { $0.split(separator: " ").first } == [
                "RECEIVING", "REPORTING", "SIGNING", "TESTING", "STORE", "OTHER",
            ])
        #expect(names.first == ["serve", "tokens", "doctor"] && names.last == ["completion", "version"])
        #expect(names.joined().count == 29)
    }

    // MARK: version

    @Test("version names the commit and the libraries; --version is the number alone")
    func version() throws {
        #expect(try skan("--version").output == "0.1.0\n")
        let pattern = /skan 0\.1\.0 \(commit [0-9a-z-]+, Swift 6\.\d.*, SQLite 3\.[0-9.]+, OpenSSL 3\.[0-9.]+.*\)\n/
        #expect(try skan("version").output.wholeMatch(of: pattern) != nil)
    }
}

@Suite("Options with a closed set of values")
struct CompletionScriptTests {
    /// What a shell offers after an option.
    struct Row: Sendable, CustomTestStringConvertible {
        let command: [String]
        let option: String
        let values: [String]

        var testDescription: String {
            (["skan"] + command + ["--\(option)"]).joined(separator: " ")
        }
    }

    /// The options whose values the program checks itself.
    static let others = [
        Row(command: ["serve"], option: "log-format", values: ["text", "json"]),
        Row(
            command: ["serve"], option: "log-level",
            values: ["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        Row(command: ["sign"], option: "fidelity", values: ["0", "1"]),
        Row(
            command: ["quarantine", "list"], option: "reason",
            values: ["malformed", "unknown-version", "unknown-key", "not-understood", "invalid-signature", "conflict"]),
        Row(
            command: ["report"], option: "period",
            values: ["today", "yesterday", "this-week", "last-week", "this-month", "last-month"]),
    ]

    /// Those, and the options whose values the parser checks.
    static let rows: [Row] = {
        let dump = try? SkanProcess.run(["--experimental-dump-help"], in: FileManager.default.temporaryDirectory)
        let object = try? JSONSerialization.jsonObject(with: Data((dump?.output ?? "").utf8)) as? [String: Any]
        return others + rows(of: object?["command"] as? [String: Any] ?? [:], path: [])
    }()

    private static func rows(of command: [String: Any], path: [String]) -> [Row] {
        let own = (command["arguments"] as? [[String: Any]] ?? []).compactMap { argument -> Row? in
            let names = (argument["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            guard let values = argument["allValues"] as? [String], !values.isEmpty,
                argument["kind"] as? String == "option",
                let name = names.max(by: { $0.count < $1.count })
            else {
                return nil
            }
            return Row(command: path, option: name, values: values)
        }
        let commands = command["subcommands"] as? [[String: Any]] ?? []
        return own + commands.flatMap { rows(of: $0, path: path + [$0["commandName"] as? String ?? ""]) }
    }

    static let scripts = ["bash", "zsh", "fish"].reduce(into: [:]) { scripts, shell in
        scripts[shell] = try? SkanProcess.run(["completion", shell], in: FileManager.default.temporaryDirectory).output
    }

    /// The function of a command in the script of bash or zsh.
    private func function(_ row: Row, _ shell: String) throws -> Substring {
        let script = try #require(Self.scripts[shell])
        let name = (["_skan"] + row.command).joined(separator: "_")
        let start = try #require(script.firstRange(of: "\n\(name)() {\n"))
        return try #require(script[start.upperBound...].split(separator: "\n}\n", maxSplits: 1).first)
    }

    @Test("bash offers them", arguments: rows)
    func bash(_ row: Row) throws {
        let function = try function(row, "bash")
        let option = try #require(function.firstRange(of: "'--\(row.option)')\n"))
        let offered = function[option.upperBound...].split(separator: ";;").first ?? ""
        #expect(row.values.allSatisfy { offered.contains($0) }, "\(offered)")
    }

    @Test("zsh offers them", arguments: rows)
    func zsh(_ row: Row) throws {
        let list = row.values.map { "'\($0)'" }.joined(separator: " ")
        let name = row.option.replacingOccurrences(of: "-", with: "_")
        let function = try function(row, "zsh")
        #expect(function.contains("___\(name)=(\(list))"))
        #expect(function.contains("{__skan_complete \"${___\(name)[@]}\"}"))
    }

    @Test("fish offers them", arguments: rows)
    func fish(_ row: Row) throws {
        let script = try #require(Self.scripts["fish"])
        let command = (["skan"] + row.command).joined(separator: " ")
        let lines = script.split(separator: "\n").filter {
            $0.contains("\"\(command)\"") || $0.contains("\"\(command) ")
        }
        let own = lines.filter { $0.contains(" -l '\(row.option)' ") }
        #expect(own.contains { $0.hasSuffix(" -rfka '\(row.values.joined(separator: " "))'") }, "\(own)")
    }

    @Test(
        "The words after help are offered, before zsh completes for the first time", arguments: ["bash", "zsh", "fish"])
    func help(_ shell: String) throws {
        let script = try #require(Self.scripts[shell])
        let commands = try #require(script.ranges(of: "serve tokens doctor ").last)
        let keys = try #require(script.ranges(of: "generate public check").last)
        #expect(commands.lowerBound < keys.lowerBound)
        if shell == "zsh" {
            let call = try #require(script.ranges(of: "\n    _skan \"${@}\"\n").last)
            #expect(keys.upperBound < call.lowerBound)
        }
    }
}
