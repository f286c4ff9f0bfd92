import Foundation
import Testing

@Suite("Completions, manual pages and the version")
struct HelpTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
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
            (["report", "--by", "install"], ["install-day", "install-day-estimate", "install-days"]),
            (["report", "--by", "network,netw"], []),
            (["report", "--columns", "installs,redownload-r"], ["installs,redownload-rate"]),
            (["report", "--sort", "-installs"], ["-installs"]),
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
            (["serve", "--log-format", ""], ["json", "text"]),
            (["serve", "--log-level", "war"], ["warning"]),
            (["sign", "--fidelity", ""], ["0", "1"]),
            (["replay", "--to", "yes"], ["yesterday"]),
        ])
    func bash(_ words: [String], _ completions: [String]) throws {
        try write(skan("completion", "bash").output, to: "skan.bash")
        for file in ["skan.sqlite", "postback.json", "key.pem"] {
            try Data().write(to: folder.url.appendingPathComponent(file))
        }
        let program = """
            PATH="$(dirname "$0"):$PATH"; source ./skan.bash
            COMP_WORDS=(skan "$@"); COMP_CWORD=$#; COMP_LINE="skan $*"; COMP_POINT=${#COMP_LINE}
            _skan skan "${@: -1}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}" | sort -u
            """
        let outcome = try run(URL(fileURLWithPath: "/bin/bash"), ["-c", program, SkanProcess.binary.path] + words)
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
        let outcome = try run(
            URL(fileURLWithPath: "/usr/bin/env"), ["COLUMNS=40", SkanProcess.binary.path, "help", "sign"])
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
        #expect(names.first == ["serve", "tokens", "doctor", "destinations"])
        #expect(names.last == ["completion", "version"])
        #expect(names.joined().count == 30)
    }

    // MARK: version

    @Test("version names the commit and the libraries; --version is the number alone")
    func version() throws {
        #expect(try skan("--version").output == "0.1.0\n")
        let pattern = /skan 0\.1\.0 \(commit [0-9a-z-]+, Swift 6\.\d.*, SQLite 3\.[0-9.]+, OpenSSL 3\.[0-9.]+.*\)\n/
        #expect(try skan("version").output.wholeMatch(of: pattern) != nil)
    }
}
