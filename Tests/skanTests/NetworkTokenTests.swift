import Foundation
import Testing

@Suite("Tokens limited to ad networks, as a process", .timeLimit(.minutes(5)))
struct NetworkTokenTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
    }

    private func token(_ arguments: String...) throws -> String {
        let outcome = try SkanProcess.run(["tokens", "create", "--file", "tokens.json"] + arguments, in: folder.url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return String(outcome.output.dropLast())
    }

    private static let impression =
        #""versions":["4.0"],"forms":["storekit-rendered"],"itunes-item-id":1,"source-identifier":1,"source-app-id":2"#
    private static let bid =
        #""skadn":{"versions":["4.0"],"sourceapp":"2","skadnetids":["example123.skadnetwork"]}"#
    private static let webAd =
        #""itunes-item-id":1,"source-identifier":1,"attribution-destination":"https://ads.example""#
    private static let advertise = #""itunesitem":1,"sourceidentifier":1"#

    private static func isSigned(_ path: String) -> Bool {
        path.hasPrefix("/v1/impressions") || path.hasPrefix("/v1/openrtb")
    }

    /// Path, body or nothing, and whether a token limited to `example123.skadnetwork` may.
    static let requests: [(path: String, body: String?, isAllowed: Bool)] = [
        ("/v1/impressions", #"{"ad-network-id":"example123.skadnetwork",\#(impression)}"#, true),
        ("/v1/impressions", #"{"ad-network-id":"EXAMPLE123.skadnetwork",\#(impression)}"#, true),
        ("/v1/impressions", #"{"ad-network-id":"other.skadnetwork",\#(impression)}"#, false),
        // What cannot be read is refused as to anybody.
        ("/v1/impressions", "{\(impression)}", true),
        ("/v1/impressions", #"{"ad-network-id":"other.skadnetwork"}"#, true),
        ("/v1/impressions", "nonsense", true),
        ("/v1/openrtb/skadn", #"{"id":"1","imp":[{"id":"1"}]}"#, true),
        ("/v1/openrtb/skadn", #"{\#(bid),"advertise":{"networks":["other.skadnetwork"]}}"#, true),
        (
            "/v1/openrtb/skadn",
            #"{\#(bid),"advertise":{\#(advertise),"networks":["example123.skadnetwork"]}}"#, true
        ),
        ("/v1/openrtb/skadn", #"{\#(bid),"advertise":{\#(advertise),"networks":["other.skadnetwork"]}}"#, false),
        (
            "/v1/openrtb/skadn",
            #"{\#(bid),"advertise":{\#(advertise),"networks":["example123.skadnetwork","other.skadnetwork"]}}"#, false
        ),
        ("/v1/openrtb/skadn", #"{\#(bid),"advertise":{\#(advertise)}}"#, false),
        ("/v1/web-ads", #"{"ad-network-id":"other.skadnetwork"}"#, true),
        ("/v1/web-ads", #"{"ad-network-id":"other.skadnetwork",\#(webAd)}"#, false),
        ("/v1/web-ads", #"{"ad-network-id":"example123.skadnetwork",\#(webAd)}"#, true),
        ("/v1/report?where=network%3Dother.skadnetwork&by=colour", nil, true),
        ("/v1/report?where=network%3Dexample123.skadnetwork&by=app", nil, true),
        ("/v1/report?where=network%3Dother.skadnetwork", nil, false),
        ("/v1/report?where=network%3Dexample123.skadnetwork&where=network%3Dother.skadnetwork", nil, false),
        ("/v1/report?where=network!%3Dother.skadnetwork", nil, false),
        ("/v1/report?by=network", nil, false),
        ("/v1/reports/overview?where=network%3Dexample123.skadnetwork", nil, true),
        ("/v1/reports/overview?where=network%3Dother.skadnetwork", nil, false),
        ("/v1/reports/campaigns?where=network!%3Dother.skadnetwork", nil, false),
        ("/v1/reports/sources", nil, false),
        // Deliveries are those of all networks.
        ("/v1/reports/delivery", nil, false),
        ("/v1/reports/delivery?where=network%3Dexample123.skadnetwork", nil, true),
        ("/v1/quarantine", nil, false),
        ("/v1/postbacks", nil, false),
        ("/metrics", nil, false),
        ("/healthz", nil, true),
    ]

    @Test("Every route where a request names an ad network refuses another, and the others refuse it altogether")
    func routes() throws {
        let limited = try token("--name", "a", "--scope", "sign,report", "--network", "Example123.skadnetwork")
        let free = try token("--name", "b", "--scope", "sign,report")
        let server = try SkanServer(in: folder, arguments: ["--tokens", "tokens.json"] + SkanServer.signing)
        for (path, body, isAllowed) in Self.requests {
            func ask(_ token: String) throws -> String {
                let data = body.map { ["-H", "Content-Type: application/json", "--data-binary", $0] } ?? []
                return try SkanProcess.run(
                    SkanProcess.curl,
                    ["-s", "-i", "--max-time", "60", "-H", "Authorization: Bearer \(token)"] + data
                        + [(Self.isSigned(path) ? server.signer : server.console) + path],
                    in: folder.url
                ).output
            }
            let answer = try ask(limited)
            #expect(answer.contains("\"reason\":\"out-of-network\"") == !isAllowed, "\(path) \(body ?? ""): \(answer)")
            #expect(answer.hasPrefix("HTTP/1.1 403 ") == !isAllowed, "\(path) \(body ?? ""): \(answer)")
            if !isAllowed {
                #expect(answer.contains("Example123.skadnetwork"))
                let isLimitable = body != nil || path.hasPrefix("/v1/report")
                #expect(answer.contains("name no other network") == isLimitable, "\(path): \(answer)")
                #expect(answer.contains("use a token without a limit"))
            }
            let unlimited = try ask(free)
            #expect(!unlimited.contains("out-of-network"))
            // What it may, is answered as to anybody.
            if isAllowed { #expect(answer.prefix(12) == unlimited.prefix(12), "\(path): \(answer)") }
        }
        #expect(server.end(SIGTERM).status == 0)
        let listed = try SkanProcess.run(["tokens", "list", "--file", "tokens.json"], in: folder.url).output
        let rows = listed.split(separator: "\n").dropFirst().map { $0.split(separator: " ").map { String($0) } }
        #expect(rows.map { $0[3] } == ["Example123.skadnetwork", "all"])
        // Both were used, which the server kept when it stopped.
        #expect(rows.allSatisfy { $0[7].hasPrefix("20") && $0[8] == "live" }, "\(listed)")
    }
}

/// Words that the argument parser refuses: every message is the program's own.
@Suite("Words that are no valid command")
struct RefusedWordsTests {
    /// Runs nothing: the words are refused before a command begins.
    private static func skan(_ words: [String]) throws -> SkanProcess.Outcome {
        let folder = try WorkFolder()
        return try SkanProcess.run(words, in: folder.url)
    }

    @Test(
        "Each kind of mistake names the option, what was found and what is expected",
        arguments: [
            // A value of another type.
            ("serve --listen 8080", "--listen: found 8080, expected HOST:PORT, for example 127.0.0.1:8080"),
            ("listen --listen=:8080", "--listen: found :8080, expected HOST:PORT, for example 127.0.0.1:8080"),
            (
                "serve --signing localhost",
                "--signing: found localhost, expected HOST:PORT or unix:PATH, for example 127.0.0.1:8082"
            ),
            (
                "serve --signing unix:x/",
                "--signing: found unix:x/, expected HOST:PORT or unix:PATH, for example 127.0.0.1:8082"
            ),
            ("serve --sign-rate abc", "--sign-rate: found abc, expected a whole number, 0 or more"),
            ("simulate --count 5.5", "--count: found 5.5, expected a whole number, 0 or more"),
            ("simulate --faults x", "--faults: found x, expected a number, 0 or more"),
            (
                "simulate --count 99999999999999999999",
                "--count: found 99999999999999999999, expected a whole number up to 9223372036854775807"
            ),
            ("sign --advertised-app com.foo", "--advertised-app: found com.foo, expected a whole number, 0 or more"),
            ("quarantine show abc", "ID: found abc, expected a whole number, 0 or more"),
            // A value outside a closed set.
            ("serve --forwarding-field x", "--forwarding-field: found x, expected one of x-forwarded-for, forwarded"),
            ("verify --format=", "--format: expected one of text, json"),
            ("keys check --version 5.0 k", "--version: found 5.0, expected one of 1.0, 2.0, 2.1, 2.2, 3.0, 4.0"),
            // No value, or one that looks like an option.
            ("serve --listen --store s", "--listen: expected HOST:PORT, for example 127.0.0.1:8080"),
            ("report --store=", "--store: expected a value"),
            ("report -qo", "-o: expected a value"),
            ("verify --trust-test-key -- f", "--trust-test-key: expected a value"),
            ("simulate --count -5", "--count: found -5, expected a whole number, 0 or more"),
            ("simulate --count -5 --seed -1", "--count: found -5, expected a whole number, 0 or more"),
            ("simulate --seed -1", "--seed: found -1, expected a whole number, 0 or more"),
            (
                "tokens create --name -x",
                "--name: found -x, expected a value that does not begin with a hyphen, or --name=-x"
            ),
            // A value for a flag, and flags that exclude each other.
            ("serve --check=true", "--check: found true, expected no value"),
            ("report --test --development", "found --test and --development, expected one of them"),
            ("export --foreign --test", "found --test and --foreign, expected one of them"),
            // Unknown names.
            ("--store= report", "--store: found before report, expected after it"),
            ("--store x report", "--store: found before report, expected after it"),
            ("-s x quarantine list", "-s: found before quarantine, expected after it"),
            ("quarantine --store x list", "--store: found before list, expected after it"),
            ("--store=x", "--store: found before the command, expected after it"),
            ("--storee=x report", "unknown option --storee"),
            ("report -sfile", "unknown option -sfile; did you mean -s file?"),
            ("report -store x", "unknown option -store; did you mean --store?"),
            ("report -qx", "unknown option -qx"),
            ("report -=", "unknown option -="),
            ("report --=x", "unknown option --=x"),
            ("verify -f x", "unknown option -f"),
            ("quarantine show -1", "unknown option -1"),
            ("help --nosuch", "unknown option --nosuch"),
            ("help report --nosuch", "unknown option --nosuch"),
            ("help report x", "unknown command x of skan report"),
            ("--generate-completion-script tcsh", "unknown option --generate-completion-script"),
            // Too many words.
            ("keys generate a b c", "unexpected argument b"),
            ("version x", "unexpected argument x"),
            ("report w.sqlite", "unexpected argument w.sqlite; did you mean --store w.sqlite?"),
            ("recount w.sqlite", "unexpected argument w.sqlite; did you mean --store w.sqlite?"),
            ("export -s s -- -x", "unexpected argument -x"),
            // Checks of a command's own.
            ("export --limit=-1", "expected --limit 1 or more"),
            ("replay f --url http://h --speed 0", "expected --concurrency 1…1024, and --speed above 0"),
        ])
    func refused(_ line: String, _ message: String) throws {
        let outcome = try Self.skan(line.split(separator: " ").map { String($0) })
        #expect(outcome.status == 2 && outcome.output == "")
        let lines = outcome.errors.split(separator: "\n")
        try #require(lines.count == 2, "\(outcome.errors)")
        #expect(lines[0] == "skan: error: \(message)")
        #expect(lines[1].hasPrefix("skan: hint: skan help"))
    }

    @Test(
        "An empty word is shown as one", arguments: [([""], "unknown command \"\""), (["export", ""], "unexpected")])
    func emptyWord(_ words: [String], _ beginning: String) throws {
        let outcome = try Self.skan(words)
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("skan: error: \(beginning)"), "\(outcome.errors)")
    }

    // MARK: Every option of every command

    /// The command, the option and the kind of each option and flag, as the program describes them.
    static let options: [(line: String, isFlag: Bool)] = {
        let dump = try? SkanProcess.run(["--experimental-dump-help"], in: FileManager.default.temporaryDirectory)
        let object = try? JSONSerialization.jsonObject(with: Data((dump?.output ?? "").utf8)) as? [String: Any]
        return options(of: object?["command"] as? [String: Any] ?? [:], path: [])
    }()

    private static func options(of command: [String: Any], path: [String]) -> [(line: String, isFlag: Bool)] {
        let own = (command["arguments"] as? [[String: Any]] ?? []).compactMap { argument -> (String, Bool)? in
            let names = (argument["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            let kind = argument["kind"] as? String
            guard kind != "positional", let name = names.max(by: { $0.count < $1.count }),
                !["help", "version"].contains(name)
            else {
                return nil
            }
            return ((path + ["--\(name)"]).joined(separator: " "), kind == "flag")
        }
        let commands = command["subcommands"] as? [[String: Any]] ?? []
        return own + commands.flatMap { options(of: $0, path: path + [$0["commandName"] as? String ?? ""]) }
    }

    @Test("No option leads to a sentence of the parser", arguments: options)
    func everyOption(_ line: String, _ isFlag: Bool) throws {
        // A flag with a value, or an option without one.
        let outcome = try Self.skan((isFlag ? "\(line)=x" : line).split(separator: " ").map { String($0) })
        let name = line.split(separator: " ").last ?? ""
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errors.hasPrefix("skan: error: \(name): \(isFlag ? "found x, " : "")expected "))
    }

    @Test("The program describes its options")
    func described() {
        #expect(Self.options.count > 150)
    }
}
