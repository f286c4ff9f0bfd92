import AttributionConsole
import AttributionListener
import Foundation
import TestSupport
import Testing

@Suite("Access to the console, as a process", .timeLimit(.minutes(5)))
struct ConsoleAccessTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func serve(_ more: String...) throws -> SkanServer {
        try SkanServer(in: folder, arguments: ["--tokens", "tokens.json"] + more)
    }

    private func curl(_ arguments: [String]) throws -> String {
        try run(SkanProcess.curl, ["-s", "-i", "--max-time", "60"] + arguments).output
    }

    private func ask(_ server: SkanServer, _ path: String, _ fields: String..., method: String = "GET") throws -> String
    {
        try curl(["-X", method] + fields.flatMap { ["-H", $0] } + [server.console + path])
    }

    private func status(of answer: String) -> Int? {
        answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    @Test("The harness shows the token in its environment, and without one is turned away")
    func harness() throws {
        let reader = try token("reader", "report")
        _ = try skan("simulate", "--count", "1", "--keys", "keys", "--output", "keys")
        let server = try SkanServer(in: folder, arguments: ["--tokens", "tokens.json"] + SkanServer.testKeys)
        func simulate(_ environment: String...) throws -> SkanProcess.Outcome {
            try run(
                URL(fileURLWithPath: "/usr/bin/env"),
                environment + [
                    SkanProcess.binary.path, "simulate", "--count", "20", "--keys", "keys", "--post", server.url,
                    "--report-url", server.console,
                ])
        }
        let outcome = try simulate("SKAN_TOKEN=\(reader)")
        #expect(outcome.status == 0 && outcome.output.contains("agrees"), "\(outcome)")
        #expect(try simulate("SKAN_TOKEN=skan_nonsense").errors.contains("401"))
    }

    @Test("Without tokens, a request in another machine's name is turned away, and health is not")
    func foreignHost() throws {
        let server = try SkanServer(in: folder, arguments: [])
        for (host, status) in [
            ("evil.example", 403), ("127.evil.example", 403), ("localhost.evil.example:80", 403), ("LOCALHOST:1", 200),
            ("127.8.8.8", 200), ("[::1]:8081", 200),
        ] {
            let answer = try ask(server, "/v1/report", "Host: \(host)")
            #expect(self.status(of: answer) == status, "\(host): \(answer)")
            #expect(answer.contains("foreign-host") == (status == 403))
            #expect(self.status(of: try ask(server, "/healthz", "Host: \(host)")) == 200)
        }
    }

    // MARK: Every route

    @Test("Every route needs a token with its scope, except health and readiness")
    func routes() throws {
        let tokens = try [
            "report": token("reader", "report"), "sign": token("signer", "sign"),
            "manage": token("keeper", "manage"), "metrics": token("prometheus", "metrics"),
            "both": token("both", "sign,report"),
            "admin": token("root", "admin"),
        ]
        let expired = try token("old", "admin", "--expires", "2099-01-01")
        let file = folder.url.appendingPathComponent("tokens.json")
        let list = try String(contentsOf: file, encoding: .utf8)
        try Data(list.replacingOccurrences(of: "2099-01-01", with: "2020-01-01").utf8).write(to: file)
        let unknown = "skan_" + String(repeating: "0", count: 64)
        // Strangers are held to a rate, each by itself: every request without a valid token comes from another one.
        let server = try serve("--trusted-proxy", "127.0.0.1")
        var strangers = 0
        // The login and its files are tested with the pages; a form is sent from a page alone.
        let others: [ConsoleRoute] = [.loginPage, .loginForm, .logoutForm, .pageAsset]
        for route in ConsoleRoute.allCases where !others.contains(route) {
            let (method, path) = (
                route.definition.method.rawValue, route.definition.path.replacing("{name}", with: "overview")
            )
            func expect(_ field: String?, _ status: Int, _ words: String, _ line: Int = #line) throws {
                strangers += 1
                let client = "X-Forwarded-For: 10.0.\(strangers / 250).\(strangers % 250 + 1)"
                let answer = try curl(
                    ["-X", method, "-H", client] + (field.map { ["-H", "Authorization: \($0)"] } ?? [])
                        + [server.console + path])
                let place = Comment(rawValue: "\(method) \(path), row of line \(line): \(answer)")
                #expect(self.status(of: answer) == status, place)
                #expect(answer.contains(words), place)
            }
            guard case .scope(let needed) = route.definition.access else {
                try expect(nil, 200, "200 OK")
                try expect("Bearer nonsense", 200, "200 OK")
                continue
            }
            let invalid = "WWW-Authenticate: Bearer realm=\"skan\", error=\"invalid_token\""
            if route.isPage {
                // A browser is sent to the login; a program with a token is told what is wrong with it.
                try expect(nil, 303, "Location: /login")
            } else {
                try expect(nil, 401, "WWW-Authenticate: Bearer realm=\"skan\"\r\n")
            }
            try expect("Basic c2thbg==", 401, "\"reason\":\"no-token\"")
            try expect("Bearer", 400, "error=\"invalid_request\"")
            try expect("Bearer a b", 400, "\"reason\":\"malformed-authorization\"")
            try expect("Bearer \(unknown)", 401, invalid)
            try expect("Bearer nonsense", 401, "\"reason\":\"unknown-token\"")
            try expect("Bearer \(expired)", 401, invalid)
            try expect("Bearer \(expired)", 401, "\"reason\":\"expired-token\"")
            for scope in AccessScope.allCases where !scope.covers(needed) {
                try expect(
                    "Bearer \(tokens[scope.rawValue] ?? "")", 403,
                    "error=\"insufficient_scope\", scope=\"\(needed.rawValue)\"")
            }
            for name in [needed.rawValue, "admin"] + ([.sign, .report, .metrics].contains(needed) ? ["both"] : []) {
                let answer = try curl(
                    ["-X", method, "-H", "Authorization: Bearer \(tokens[name] ?? "")", server.console + path])
                #expect(![400, 401, 403, 429].contains(status(of: answer)) || method == "POST", "\(answer)")
                #expect(!answer.contains("WWW-Authenticate"), "\(answer)")
            }
        }
        #expect(try status(of: ask(server, "/v1/nothing")) == 404)
    }

    @Test("Two tokens take turns: the second is taken at once, the first refused once revoked")
    func rotation() throws {
        let first = try token("dsp", "report")
        let server = try serve()
        func status(_ token: String) throws -> Int? {
            try self.status(of: ask(server, "/v1/report", "Authorization: Bearer \(token)"))
        }
        #expect(try status(first) == 200)
        let second = try token("dsp", "report")
        #expect(first != second)
        #expect(try status(second) == 200)
        #expect(try status(first) == 200)

        let listed = try skan("tokens", "list", "--file", "tokens.json").output
        let lines = listed.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        #expect(lines.first == ["ID", "NAME", "SCOPES", "NETWORKS", "APPS", "CREATED", "EXPIRES", "USED", "STATE"])
        #expect(
            lines.dropFirst().map { [$0[1], $0[2], $0[3], $0[4], $0[6], $0[8]] }
                == Array(repeating: ["dsp", "report", "all", "all", "never", "live"], count: 2))
        #expect(!listed.contains("skan_"))
        let third = try skan("tokens", "create", "--name", "dsp", "--scope", "sign", "--file", "tokens.json")
        #expect(third.status == 2)
        #expect(third.output == "")
        #expect(third.errors.contains("skan: error: dsp already has two live tokens: \(lines[1][0]), \(lines[2][0])"))
        #expect(third.errors.contains("skan: hint: "))
        #expect(third.errors.contains("skan tokens revoke \(lines[1][0])"))

        #expect(try skan("tokens", "revoke", "dsp", "--file", "tokens.json").errors.contains("more than one token"))
        #expect(try skan("tokens", "revoke", lines[1][0], "--file", "tokens.json").status == 0)
        #expect(try status(first) == 401)
        #expect(try status(second) == 200)
        #expect(try server.waitForLog("tokens read again count=1 former=2 tokens-revoked=\"\(lines[1][0]) of dsp\""))
        #expect(try skan("tokens", "revoke", "dsp", "--file", "tokens.json").status == 0)
        #expect(try status(second) == 401)
    }

    @Test("A list that cannot be used leaves the one before in use, and SIGHUP reads it again")
    func badList() throws {
        let good = try token("dsp", "report")
        let server = try serve()
        func status() throws -> Int? {
            try self.status(of: ask(server, "/v1/report", "Authorization: Bearer \(good)"))
        }
        #expect(try status() == 200)
        let file = folder.path("tokens.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(try status() == 200)
        #expect(try server.waitForLog("the tokens in use remain in effect"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(try status() == 200)
        #expect(try server.waitForLog("tokens read again"))
        Foundation.kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("tokens read again"))
        #expect(server.end(SIGTERM).status == 0)
    }

    // MARK: Rates

    @Test("A client that asks too fast is told to wait, with or without a token, and does not slow others down")
    func rates() throws {
        let good = try token("dsp", "report")
        let other = try token("other", "report")
        let server = try serve("--sign-rate", "2")
        func statuses(_ count: Int, _ fields: String...) throws -> [Int?] {
            // One connection, so that all come well within the second.
            let answers = try curl(
                fields.flatMap { ["-H", $0] } + Array(repeating: server.console + "/metrics", count: count))
            #expect(answers.contains("Retry-After: 1\r\n"))
            return answers.components(separatedBy: "HTTP/1.1 ").dropFirst().map { Int($0.prefix(3)) }
        }
        let mine = try statuses(20, "Authorization: Bearer \(good)")
        #expect(mine.prefix(2) == [200, 200])
        #expect(mine.contains(429))
        let strangers = try statuses(200, "Authorization: Bearer skan_" + String(repeating: "0", count: 64))
        #expect(strangers.prefix(50).allSatisfy { $0 == 401 })
        #expect(strangers.contains(429))
        // The same address with a good token of its own rate.
        #expect(try status(of: ask(server, "/metrics", "Authorization: Bearer \(other)")) == 200)
    }

    // MARK: What is counted and logged

    @Test("Metrics show what was received; logs name the holder and never the token")
    func metricsAndLogs() throws {
        let reader = try token("prometheus", "report")
        let server = try serve("--log-level", "trace")
        try write(CommandTests.body("skan-3.0-win"), to: "body")
        for _ in 0..<2 {
            _ = try curl(["-H", "Content-Type: application/json", "--data-binary", "@body", server.url])
        }
        _ = try ask(server, "/metrics", "Authorization: Bearer skan_secret")
        _ = try ask(server, "/v1/report?by=app&where=network%3Dsecret", "Authorization: Bearer \(reader)")
        let metrics = try ask(server, "/metrics", "Authorization: Bearer \(reader)")
        #expect(metrics.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        for line in [
            #"skan_ingress_requests_total{route="/skadnetwork/postbacks",status="200"} 2"#,
            #"skan_deliveries_total{status="recorded",reason="",provenance="apple"} 1"#,
            #"skan_deliveries_total{status="duplicate",reason="",provenance="apple"} 1"#,
            #"skan_console_requests_total{route="/metrics",status="401",caller=""} 1"#,
            #"skan_console_requests_total{route="/v1/report",status="200",caller="prometheus"} 1"#,
            #"skan_console_request_seconds_count{route="/v1/report"} 1"#,
            "# TYPE skan_console_request_seconds histogram",
            "# TYPE skan_build_info gauge",
        ] {
            #expect(metrics.contains(line + "\n"), "\(line) is not in \(metrics)")
        }
        let log = server.end(SIGTERM).log
        #expect(log.contains("route=/v1/report"))
        #expect(log.contains("token=prometheus"))
        #expect(log.contains("reason=unknown-token"))
        for secret in ["skan_", String(reader.dropFirst(5)), "secret"] {
            #expect(!log.contains(secret))
        }
    }

    // MARK: Starting

    static let refused: [([String], String, String)] = [
        (["--console", "0.0.0.0:1"], "listens on loopback only", "--tokens FILE"),
        (["--console", "127.example.com:1"], "listens on loopback only", "--tokens FILE"),
        (["--console", "[::]:1"], "listens on loopback only", "--tokens FILE"),
        (["--console", "0.0.0.0:1", "--console-plain-http"], "listens on loopback only", "--tokens FILE"),
        (["--console", "0.0.0.0:1", "--tokens", "tokens.json"], "in the clear", "--console-plain-http"),
        (["--tokens", "none.json"], "cannot read the tokens in none.json", "skan tokens create"),
        (["--tokens", "open.json"], "open.json can be read or changed by others (mode 0644)", "chmod 600 open.json"),
        (["--tokens", "bad.json"], "bad.json is not a token list", "change the file with skan tokens only"),
        (["--tokens", "tokens.json", "--sign-rate", "0"], "sign rate: found 0, expected 1 to", "requests a second"),
    ]

    @Test("Settings that would leave the console open are refused, with the cure", arguments: refused)
    func settings(_ arguments: [String], _ error: String, _ hint: String) throws {
        _ = try token("a", "report")
        try FileManager.default.copyItem(atPath: folder.path("tokens.json"), toPath: folder.path("open.json"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("open.json"))
        try write("{}", to: "bad.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("bad.json"))
        let outcome = try skan(["serve", "--store", "s.sqlite"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(error), "\(outcome.errors)")
        #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }

    @Test("Off loopback without TLS, the operator who insists is warned")
    func insisting() throws {
        _ = try token("a", "report")
        // An address of no machine (RFC 5737): it is let through, and fails at the socket.
        let outcome = try skan(
            "serve", "--store", "s.sqlite", "--listen", "127.0.0.1:0", "--console", "192.0.2.1:0",
            "--tokens", "tokens.json", "--console-plain-http")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("the console listens without TLS"))
    }

    @Test(
        "Bad arguments of skan tokens name field, value and cure",
        arguments: [
            (["--name", "A", "--scope", "sign"], "name: found \"A\""),
            (
                ["--name", "a", "--scope", "signing"],
                "--scope: found signing, expected one of sign, report, metrics, manage, admin"
            ),
            (
                ["--name", "a", "--scope", "sign,"],
                "--scope: found \"\", expected one of sign, report, metrics, manage, admin"
            ),
            (["--name", "a", "--scope", "sign", "--network", ""], "--network: found \"\", expected"),
            (
                ["--name", "a", "--scope", "sign", "--network", "com.a,com.b"],
                "--network: found \"com.a,com.b\", expected"
            ),
            (
                ["--name", "a", "--scope", "sign,metrics", "--network", "com.example"],
                "network: found with the scope metrics"
            ),
            (["--name", "a", "--scope", "sign", "--expires", "2020-01-01"], "expires: found 2020-01-01"),
            (
                ["--name", "a", "--scope", "sign", "--expires", "tomorrow"],
                "--expires: found tomorrow, expected a day as YYYY-MM-DD"
            ),
            (
                ["--name", "a", "--scope", "sing"],
                "--scope: found sing, expected one of sign, report, metrics, manage, admin; did you mean sign?"
            ),
            (
                ["--name", "a", "--scope", "sign", "--expires", "2026-02-30"],
                "--expires: found 2026-02-30, expected a day of the calendar: 2026-02 has 28 days"
            ),
        ])
    func badArguments(_ arguments: [String], _ message: String) throws {
        let outcome = try skan(["tokens", "create", "--file", "tokens.json"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("tokens.json")))
    }

    static let token: String = "skan_" + String(repeating: "0123456789abcdef", count: 4)
    static let misplaced: [[String]] = [
        ["tokens", "revoke", "Bearer \(token)", "--file", "tokens.json"],
        ["tokens", "revoke", " \(token)", "--file", "tokens.json"],
        ["tokens", "revoke", "x\(token)", "--file", "tokens.json"],
        ["tokens", "revoke", "a", token, "--file", "tokens.json"],
        ["tokens", "create", "--name", token, "--scope", "sign", "--file", "tokens.json"],
        ["tokens", "create", "--name", String(token.dropLast(5)), "--scope", "sign", "--file", "tokens.json"],
        ["tokens", "create", "--name", "a", "--scope", token, "--file", "tokens.json"],
        ["tokens", "create", "--name", "a", "--scope", "sign", "--network", token, "--file", "tokens.json"],
        ["tokens", "create", "--name", "a", "--scope", "report", "--app", token, "--file", "tokens.json"],
        ["tokens", "list", "--file", token], ["serve", "--store", "s.sqlite", "--tokens", token],
        ["serve", "--store", "s.sqlite", "--tokens", token, "--log-format", "json"],
        ["serve", "--store", "s.sqlite", "--tokens", token, "--check"], [token],
    ]

    @Test("A token that is typed in the wrong place is not shown", arguments: misplaced)
    func misplacedToken(_ words: [String]) throws {
        let made = try skan(["tokens", "create", "--name", "a", "--scope", "sign", "--file", "tokens.json"])
        try #require(made.status == 0)
        let outcome = try skan(words)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(!(outcome.output + outcome.errors).contains("01234567"), "\(outcome)")
    }

    @Test("A token in the variable that names the list is not shown")
    func tokenInVariable() throws {
        let outcome = try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["SKAN_TOKENS=\(Self.token)", SkanProcess.binary.path, "tokens", "list"])
        #expect(outcome.status == 2 && outcome.errors.contains("cannot read the tokens in skan_…: "), "\(outcome)")
    }
}

@Suite("Bodies sent to the console", .timeLimit(.minutes(2)))
struct ConsoleBodyTests {
    static let bodies: [(fields: String, body: String, status: Int, reason: String)] = [
        ("Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n", 400, "malformed-request"),
        ("Transfer-Encoding: chunked", "2\r\n{}x", 400, "malformed-request"),
        ("Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n", 400, "bad-field"),
        ("Content-Length: 20000", String(repeating: " ", count: 20_000), 413, "body-too-large"),
    ]

    @Test("A malformed body is 400, and only one that is too large 413", arguments: bodies)
    func refused(_ row: (fields: String, body: String, status: Int, reason: String)) throws {
        let folder = try WorkFolder()
        let server = try SkanServer(in: folder, arguments: [])
        let client = try RawClient(port: server.consolePort)
        client.send(
            "POST /v1/quarantine/prune HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "\(row.fields)\r\n\r\n\(row.body)")
        let answer = try client.answer()
        #expect(answer.status == row.status && answer.reason == row.reason, "\(answer)")
        if row.reason == "malformed-request" {
            #expect(answer.saysClose)
            try client.waitForEnd()
        }
        #expect(server.end(SIGTERM).status == 0)
    }
}
