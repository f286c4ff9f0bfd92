import Foundation
import Testing

@Suite("Mistakes in a command line")
struct UsageTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    @Test(
        "Unknown names come first, with the nearest known one; all that is missing comes in one message",
        arguments: [
            (
                "reprot", "unknown command reprot, expected one of serve, tokens, ", "; did you mean report?",
                "skan help"
            ),
            ("help serv", "unknown command serv, ", "; did you mean serve?", "skan help"),
            ("help nothing", "unknown command nothing, ", ", version", "skan help"),
            (
                "keys gen x", "unknown command gen of skan keys, expected one of generate, public, check",
                "; did you mean generate?", "skan help keys"
            ),
            ("report --stor x", "unknown option --stor; did you mean --store?", "", "skan help report"),
            ("sign --versoin 4.0", "unknown option --versoin; did you mean --version?", "", "skan help sign"),
            ("simulate --cuont 5", "unknown option --cuont; did you mean --count?", "", "skan help simulate"),
            (
                "report --format cvs",
                "--format: found cvs, expected one of table, csv, json, ndjson, markdown, html; did you mean csv?", "",
                "skan help report"
            ),
            (
                "report -s s --by campagn", "--by: found campagn, expected one of hour, day, ",
                "; did you mean campaign?", "skan help report"
            ),
            ("completion tcsh", "SHELL: found tcsh, expected one of bash, zsh, fish", "", "skan help completion"),
            (
                "sign",
                "expected --version VERSION, --network ID, --advertised-app ID, "
                    + "--source-identifier N (4.0) or --campaign N (up to 3.0), --source-app ID (from 2.0), "
                    + "one of --key FILE and --keys LIST", "", "skan help sign"
            ),
            (
                "sign --version 1.0 --network n",
                "expected --advertised-app ID, --campaign N, one of --key FILE and --keys LIST", "", "skan help sign"
            ),
            (
                "sign --version 3.0",
                "expected --network ID, --advertised-app ID, --campaign N, --source-app ID, "
                    + "one of --key FILE and --keys LIST", "", "skan help sign"
            ),
            (
                "sign --version 4.0 --key k.pem",
                "expected --network ID, --advertised-app ID, --source-identifier N, "
                    + "one of --source-app ID and --source-domain DOMAIN", "", "skan help sign"
            ),
            (
                "sign --version 4.0 --campaign 3", "--campaign: found with --version 4.0, which does not have it", "",
                "give --source-identifier"
            ),
            (
                "sign --version 2.0 --fidelity 1", "--fidelity: found with --version 2.0, which does not have it", "",
                "leave it out"
            ),
            (
                "sign --version 4", "--version: found 4, expected one of 1.0, 2.0, 2.1, 2.2, 3.0, 4.0", "",
                "skan help sign"
            ),
            (
                "sign --framework adattributionkit --network n",
                "expected --advertised-app ID, --source-identifier N, --source-app ID, "
                    + "one of --key FILE and --keys LIST", "", "skan help sign"
            ),
            (
                "web-ad issue --network n",
                "expected --advertised-app ID, --source-identifier N, --destination ORIGIN", "",
                "skan help web-ad issue"
            ),
            (
                "web-ad tap", "expected --source-domain DOMAIN, --network-key FILE", "",
                "skan help web-ad tap"
            ),
            ("tokens create", "expected --name NAME, --scope SCOPE", "", "skan help tokens create"),
            ("backup -s x", "expected FILE", "", "skan help backup"),
            ("simulate", "expected --post URL or --output FOLDER or --store FILE", "", "skan help simulate"),
            (
                "simulate x.json --cuont 5", "unknown option --cuont; did you mean --count?", "", "skan help simulate"
            ),
            (
                "simulate x.json --count 5 --store s", "expected no --count beside a scenario", "", "skan help simulate"
            ),
            (
                "simulate --days 3 --store s --post u", "expected one of --post, --output and --store", "",
                "skan help simulate"
            ),
            ("report --by", "--by: expected a value", "", "skan help report"),
            (
                "report -s x --test --provenance apple", "found --test and --provenance, expected one of them", "",
                "skan help report"
            ),
            ("tokens create --name --scope sign", "--name: expected a value", "", "skan help tokens create"),
            ("report x", "name: found x, expected one of overview, performance,", "", "skan help report"),
        ])
    func mistakes(_ line: String, _ beginning: String, _ end: String, _ hint: String) throws {
        let outcome = try skan(line.split(separator: " ").map { String($0) })
        #expect(outcome.status == 2 && outcome.output == "")
        let lines = outcome.errors.split(separator: "\n")
        try #require(lines.count == 2, "\(outcome.errors)")
        #expect(lines[0].hasPrefix("skan: error: \(beginning)") && lines[0].hasSuffix(end), "\(lines[0])")
        #expect(lines[1] == "skan: hint: \(hint)")
    }

    @Test("What a hint says can be typed", arguments: ["help", "help report", "help keys check", "help completion"])
    func hints(_ line: String) throws {
        let outcome = try skan(line.split(separator: " ").map { String($0) })
        #expect(outcome.status == 0 && outcome.output.hasPrefix("OVERVIEW: "))
    }

    // MARK: What goes wrong later

    @Test(
        "What goes wrong has words of ours, a hint, and the status of its code",
        arguments: [
            ("verify .", "cannot read .: it is a folder", "name its files: ./*"),
            ("verify none", "cannot read none: no such file", "check the path and who may read it"),
            ("import -s s .", "cannot read .: it is a folder", "name its files: ./*"),
            (
                "replay none --url http://127.0.0.1:9", "cannot read none: no such file",
                "check the path and who may read it"
            ),
            ("web-ad tap --source-domain d --network-key n none", "cannot read the key file n: no such file", nil),
            (
                "selftest --write /proc/skan", "cannot write /proc/skan: No such file or directory",
                "check the path and its permissions"
            ),
            (
                "publish skadnetworkids --company-name a --company-domain example.com --id n.skadnetwork --output /proc/skan",
                "cannot write to /proc/skan: No such file or directory",
                "check that the folder exists and can be written"
            ),
            (
                "keys public none.pem", "cannot read the key file none.pem: no such file",
                "check the path and who may read it"
            ),
            ("report --store s", "there is no store at s", "skan serve --store s"),
            (
                "serve --store s.sqlite --listen 127.0.0.1:0 --console 127.0.0.1:0 --trusted-proxy x",
                "\"x\" is not an IP address or network", "write 192.0.2.1, 10.0.0.0/8 or 2001:db8::/32"
            ),
        ] as [(String, String, String?)])
    func failures(_ line: String, _ message: String, _ hint: String?) throws {
        let outcome = try skan(line.split(separator: " ").map { String($0) })
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("skan: error: \(message)"), "\(outcome.errors)")
        if let hint {
            #expect(outcome.errors.contains("\nskan: hint: \(hint)\n"), "\(outcome.errors)")
        }
        for library in ["Error Domain", "NIO", "SQLite error", "errno"] {
            #expect(!outcome.errors.contains(library), "\(outcome.errors)")
        }
    }

    // MARK: The environment of serve

    /// Ends before it listens, because the folder of the store is not there.
    private func serve(_ environment: [String]) throws -> SkanProcess.Outcome {
        try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            environment + [
                SkanProcess.binary.path, "serve", "--store", "nowhere/skan.sqlite", "--listen", "127.0.0.1:0",
                "--console", "127.0.0.1:0",
            ])
    }

    @Test(
        "An unknown variable is an error, and all of them come in one message",
        arguments: [
            (["SKAN_LISTNE=127.0.0.1:0"], "SKAN_LISTNE; did you mean SKAN_LISTEN?"),
            (
                ["SKAN_LISTNE=", "SKAN_STOR=x"],
                "SKAN_LISTNE; did you mean SKAN_LISTEN?; SKAN_STOR; did you mean SKAN_STORE?"
            ),
            (["SKAN_TLS_CERT=x"], "SKAN_TLS_CERT; did you mean SKAN_TLS_CERTIFICATE?"),
            (["SKAN_COLOUR=x"], "SKAN_COLOUR"),
        ])
    func unknownVariables(_ environment: [String], _ names: String) throws {
        let outcome = try serve(environment)
        #expect(outcome.status == 2)
        #expect(
            outcome.errors
                == "skan: error: unknown environment variable \(names)\nskan: hint: skan help serve\n")
    }

    @Test(
        "Variables of Kubernetes, of other commands and of other programs are not errors",
        arguments: [
            "SKAN_SERVICE_HOST=10.0.0.1", "SKAN_SERVICE_PORT_HTTP=8080", "SKAN_PORT=tcp://10.0.0.1:8080",
            "SKAN_PORT_8080_TCP_ADDR=10.0.0.1", "SKAN_CONSOLE_SERVICE_HOST=10.0.0.1", "SKAN_TOKEN=x",
            "SKAN_SIGNER=http://127.0.0.1:8082", "MY_SKAN_X=1",
        ])
    func otherVariables(_ variable: String) throws {
        #expect(try serve([variable]).errors.contains("the folder "))
    }

    @Test("Every variable in the table of settings is known")
    func documentedVariables() throws {
        let text = try String(
            contentsOf: CommandTests.root.appendingPathComponent(
                "Sources/AttributionStore/AttributionStore.docc/Operations.md"), encoding: .utf8)
        let table = text.split(separator: "\n").filter { $0.hasPrefix("| `--") }
        let names = table.flatMap { $0.matches(of: /SKAN_[A-Z_]+/).map { String($0.output) } }
        #expect(Set(names).count == 26)
        let outcome = try serve(names.map { "\($0)=x" })
        #expect(!outcome.errors.contains("unknown environment variable"), "\(outcome.errors)")
    }
}
