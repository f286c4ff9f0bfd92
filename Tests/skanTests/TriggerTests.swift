import Foundation
import StrictJSON
import TestSupport
import Testing

/// `skan trigger`, `skan listen`, `skan replay` and `skan doctor` against servers of this machine.
@Suite("Single deliveries, a listener without a store, and a check of a deployment", .timeLimit(.minutes(10)))
struct TriggerTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func origin(_ server: SkanServer) -> String {
        "http://127.0.0.1:\(server.port)"
    }

    // MARK: trigger

    @Test("Every delivery gets the verdict it must, and the keys stay the same")
    func everyTrigger() throws {
        let names = try skan("trigger", "--list").output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        #expect(names.count > 15 && names.contains("aak-reengagement") && names.contains("zero-filled"))
        // No server yet: the keys are made, and how to start it is said.
        let alone = try skan("trigger", "install", "--url", "http://127.0.0.1:9", "--keys", "keys")
        #expect(alone.status == 2 && alone.errors.contains("skan: made test keys in keys"), "\(alone)")
        #expect(alone.errors.contains("--trust-test-key keys/test-p256.public.pem"))
        let server = try SkanServer(in: folder)
        for name in names {
            let outcome = try skan("trigger", name, "--url", origin(server), "--keys", "keys")
            #expect(outcome.status == 0 && outcome.errors == "", "\(name) \(outcome)")
        }
        let report = try skan("report", "--store", "skan.sqlite", "--test", "--by", "", "--format", "json").output
        #expect(report.contains("\"installs\"") && report.contains("\"re-engagements\": 1"))
        _ = server.end(SIGTERM)
    }

    @Test("A second time with one id makes a repeat; a server without the keys is named")
    func repeats() throws {
        _ = try skan("simulate", "--count", "1", "--output", "sim", "--keys", "keys")
        let server = try SkanServer(in: folder)
        for verdict in ["recorded", "duplicate"] {
            let outcome = try skan(
                "trigger", "install", "--url", origin(server), "--keys", "keys", "--transaction-id", "one")
            #expect(outcome.status == 0 && outcome.output.hasPrefix("200 {\"status\":\"\(verdict)\""), "\(outcome)")
        }
        let stranger = try skan("trigger", "aak-install", "--url", origin(server), "--keys", "other")
        #expect(stranger.status == 1 && stranger.errors.contains("the server does not trust the test keys"))
        _ = server.end(SIGTERM)
    }

    @Test("Development postbacks: Apple's own counts as development, once, whatever keys are trusted; ours as test")
    func development() throws {
        _ = try skan("simulate", "keys", "--keys", "keys")
        let server = try SkanServer(in: folder)
        for (name, verdict) in [
            ("development", #"{"status":"recorded","reason":null,"provenance":"development"}"#),
            ("development", #"{"status":"duplicate","reason":null,"provenance":"development"}"#),
            ("skan-development", #"{"status":"recorded","reason":null,"provenance":"test"}"#),
            ("aak-development", #"{"status":"recorded","reason":null,"provenance":"test"}"#),
        ] {
            let outcome = try skan("trigger", name, "--url", origin(server), "--keys", "keys")
            #expect(outcome.status == 0 && outcome.output == "200 \(verdict)\n", "\(outcome)")
        }
        _ = server.end(SIGTERM)
        let bodies = try skan("export", "--store", "skan.sqlite", "--test", "--bodies").output
        #expect(bodies.contains(#"\"source-app-id\":0"#), "\(bodies)")
    }

    @Test(
        "A mistake is named",
        arguments: [
            (["trigger"], "expected NAME or --list"),
            (["trigger", "development", "--network", "n"], "found --network with development, expected none"),
            (["trigger", "instal"], "did you mean install?"),
            (["trigger", "install", "--url", "localhost"], "--url: found localhost, expected a URL"),
            (["replay", "--url", "http://127.0.0.1:9"], "expected one of FILE and --store FILE"),
            (["replay", "none", "--url", "http://127.0.0.1:9"], "cannot read none: no such file"),
            (["replay", "none"], "expected one of --url URL and --destination NAME"),
            (["replay", "none", "--url", "localhost"], "--url: found localhost, expected a URL"),
            (
                ["replay", "none", "--url", "http://127.0.0.1:9", "--to", "http://127.0.0.1:9"],
                "--to: found http://127.0.0.1:9, expected a day such as 2026-11-09, "
            ),
            (
                ["replay", "none", "--url", "http://127.0.0.1:9", "--from", "today", "--to", "yesterday"],
                "expected a day not before "
            ),
            (
                ["replay", "--store", "none", "--url", "http://127.0.0.1:9", "--input", "csv"],
                "found --input with --store"
            ),
            (["listen", "--forward", "x"], "--forward: found x, expected a URL"),
            (["doctor", "--url", "x"], "--url: found x, expected a URL"),
            (["doctor", "--url", "http://h:65536"], "--url: found the port 65536, expected 1 to 65535"),
            (
                ["doctor", "--url", "http://[::1]:99999999999999999999/p"],
                "--url: found the port 99999999999999999999, expected 1 to 65535"
            ),
            (["doctor", "--url", "http://h?x=1"], "--url: found the query ?x=1 in the URL, expected none"),
            (["trigger", "install", "--url", "http://h/#f"], "--url: found the fragment #f in the URL, expected none"),
            (
                ["listen", "--forward", "https://user:sesame@h/p?x=1"],
                "--forward: found a user or a password in the URL, or another @, expected none"
            ),
            (["listen", "--forward", "ftp://user:sesame@h"], "--forward: found a user or a password in the URL"),
            (["listen", "--forward", "user:pa/sesame@h"], "--forward: found a user or a password in the URL"),
            (
                ["simulate", "--count", "1", "--post", "http://127.0.0.1:9", "--report-url", "http://user:sesame@h"],
                "--report-url: found a user or a password in the URL, or another @, expected none"
            ),
            (["simulate", "--count", "1", "--post", "http://h?x=1"], "--post: found the query ?x=1 in the URL"),
            (["replay", "none", "--url", "HTTP://127.0.0.1:9/?"], "--url: found the query ? in the URL"),
            (["replay", "none", "--url", "HTTP://127.0.0.1:9/p?x=1"], "cannot read none: no such file"),
            (
                ["web-ad", "tap", "--source-domain", "d.example", "--network-key", "no.pem", "--url", "http://h/p?x"],
                "--url: found the query ?x in the URL, expected none"
            ),
            (
                ["web-ad", "tap", "--source-domain", "d.example", "--network-key", "none.pem", "--post", "h"],
                "--post: found h, expected a URL"
            ),
        ])
    func mistakes(_ arguments: [String], _ message: String) throws {
        let outcome = try skan(arguments)
        #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome)")
        #expect(!(outcome.output + outcome.errors).contains("sesame"))
    }

    @Test("What answers as a console and is none is named with what came, without control characters")
    func noConsole() throws {
        let server = try DatedServer(offset: 0, in: folder)
        let outcome = try skan(["simulate", "--count", "1", "--post", server.url, "--report-url", server.url])
        #expect(outcome.status == 2, "\(outcome)")
        #expect(
            outcome.errors.contains("the answer begins with <html>\\u{1b}[31m, expected a report of schema"),
            "\(outcome)")
    }

    // MARK: listen and replay

    @Test("A listener prints verdicts and passes deliveries on; what was recorded can be sent again")
    func listening() throws {
        _ = try skan("simulate", "--count", "20", "--faults", "0", "--output", "sim", "--keys", "keys")
        let server = try SkanServer(in: folder)
        let listener = try SkanListener(
            in: folder, arguments: SkanServer.testKeys + ["--forward", origin(server)])
        let sent = try skan("replay", "sim/postbacks.ndjson", "--url", listener.url)
        #expect(sent.status == 0 && sent.output.hasSuffix(", refused 0, failed 0\n"), "\(sent)")
        let recorded = try #require(sent.output.firstMatch(of: /recorded (\d+)/)).1
        _ = server.end(SIGTERM)
        let lines = listener.end()
        #expect(lines.count { $0.contains(" valid ") && $0.hasSuffix("[forwarded, answered 200 recorded]") } >= 20)

        let second = try SkanListener(in: folder, arguments: SkanServer.testKeys)
        let again = try skan("replay", "--store", "skan.sqlite", "--url", second.url, "--speed", "1000")
        let recent = try skan("replay", "--store", "skan.sqlite", "--url", second.url, "--from", "last-month")
        #expect(recent.status == 0 && recent.output.hasPrefix("sent \(recorded), duplicate \(recorded), "), "\(recent)")
        let old = try skan("replay", "--store", "skan.sqlite", "--url", second.url, "--to", "last-month")
        #expect(old.output == "sent 0, refused 0, failed 0\n")
        #expect(again.status == 0 && again.output.hasPrefix("sent \(recorded), recorded \(recorded), "), "\(again)")
        #expect(try skan("trigger", "tampered", "--url", second.url, "--keys", "keys").status == 0)
        #expect(second.end().last?.contains(" invalid ") == true)
    }

    @Test("The answer of the server behind a listener is passed back with Retry-After, and is in the JSON")
    func forwarding() throws {
        let last = try SkanListener(in: folder, arguments: ["--forward", "http://127.0.0.1:9"])
        let first = try SkanListener(in: folder, arguments: ["--forward", last.url, "--format", "json"])
        try write("{}", to: "body.json")
        let answer = try run(
            SkanProcess.curl,
            [
                "-sS", "-i", "-H", "Content-Type: application/json", "--data-binary", "@body.json",
                "\(first.url)/skadnetwork/postbacks",
            ])
        #expect(
            answer.output.contains("HTTP/1.1 503 ") && answer.output.contains("\r\nRetry-After: 30\r\n"), "\(answer)")
        let line = try #require(first.end().last)
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["verdict"] as? String == "malformed")
        let forwarded: [String: Any] = [
            "url": "\(last.url)/skadnetwork/postbacks", "http-status": 503, "status": "refused",
            "reason": "store-failed", "retry-after": 30,
        ]
        #expect(
            (object["forwarded"] as? [String: Any]).map { NSDictionary(dictionary: $0) } == forwarded as NSDictionary)
        #expect(last.end().last?.contains("[not forwarded: ") == true)
    }

    @Test("A certificate that is not trusted is for doctor to examine; a local server that is missing is to be started")
    func hints() throws {
        _ = try skan("simulate", "keys", "--keys", "keys")
        try folder.makeCertificate("localhost", end: Date(timeIntervalSinceNow: 60 * 86_400))
        let server = try SkanServer(
            in: folder, arguments: ["--tls-certificate", "tls.pem", "--tls-key", "tls-key.pem"])
        let url = "https://127.0.0.1:\(server.port)"
        let untrusted = try skan("trigger", "install", "--url", url, "--keys", "keys")
        #expect(untrusted.status == 2 && untrusted.errors.contains("this machine does not trust its certificate"))
        #expect(untrusted.errors.hasSuffix("\nskan: hint: skan doctor --url \(url)\n"), "\(untrusted)")
        _ = server.end(SIGTERM)
        let missing = try skan("trigger", "install", "--url", "http://127.0.0.1:9", "--keys", "keys")
        #expect(missing.status == 2 && missing.errors.contains("\nskan: hint: skan serve --store "), "\(missing)")
    }

    @Test("The form of a file that cannot be recognized can be given to replay, as the hint says")
    func input() throws {
        try write("x\n", to: "export.txt")
        let unknown = try skan("replay", "export.txt", "--url", "http://127.0.0.1:9")
        #expect(unknown.status == 2 && unknown.errors.contains("skan: hint: --input says it: one of "), "\(unknown)")
        let known = try skan("replay", "export.txt", "--url", "http://127.0.0.1:9", "--input", "ndjson")
        #expect(known.status == 1 && known.errors.contains("export.txt:1: "), "\(known)")
    }

    @Test("A replay stops when nobody answers")
    func nobody() throws {
        _ = try skan("simulate", "--count", "20", "--output", "sim", "--keys", "keys")
        let outcome = try skan("replay", "sim/postbacks.ndjson", "--url", "http://127.0.0.1:9")
        #expect(outcome.status == 2 && outcome.errors.contains("no answer from http://127.0.0.1:9/"), "\(outcome)")
    }

    // MARK: doctor

    @Test("A server that works has no problem but that it speaks http")
    func healthy() throws {
        _ = try skan("simulate", "keys", "--keys", "keys")
        let server = try SkanServer(in: folder)
        let outcome = try skan("doctor", "--url", origin(server), "--store", "skan.sqlite")
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 0 && !lines.contains { $0.hasPrefix("problem") }, "\(outcome)")
        let paths = lines.filter { $0.hasPrefix("ok       path /") }
        #expect(paths.count { $0.contains("200 quarantined invalid-signature") } == 4)
        #expect(lines.contains { $0.hasPrefix("warning  scheme: http works ") })
        #expect(lines.contains { $0.hasPrefix("ok       store: ") })
        // A store of another server: nothing arrives there.
        let other = try SkanServer(in: folder, store: "other.sqlite")
        _ = other.end(SIGTERM)
        let astray = try skan("doctor", "--url", origin(server), "--store", "other.sqlite")
        #expect(astray.status == 1 && astray.output.contains("problem  arrival: "), "\(astray)")
        let plain = try skan("doctor", "--url", "https://127.0.0.1:\(server.port)")
        #expect(plain.status == 1 && plain.output.contains("does not speak TLS as devices do"), "\(plain)")
        let json = try skan("doctor", "--url", "\(origin(server))/elsewhere", "--format", "json")
        let object = try #require(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(json.status == 1 && object["problems"] as? Int == 1)
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.last?["level"] as? String == "problem" && findings.last?["cure"] is String)
        _ = server.end(SIGTERM)
    }

    @Test("A certificate that nobody trusts is a problem, and nothing is posted after it")
    func untrusted() throws {
        try folder.makeCertificate("localhost", end: Date(timeIntervalSinceNow: 60 * 86_400))
        let tls = ["--tls-certificate", "tls.pem", "--tls-key", "tls-key.pem"]
        let server = try SkanServer(in: folder, arguments: tls)
        let outcome = try skan(["doctor", "--url", "https://127.0.0.1:\(server.port)"] + tls)
        // Whether something keeps the clock of this machine right does not matter here.
        let lines = outcome.output.split(separator: "\n").filter {
            !$0.contains(" clock: ") && !$0.contains("built-in key: ")
        }
        #expect(outcome.status == 1 && lines.count == 3, "\(outcome)")
        #expect(lines[1].hasPrefix("ok       certificate tls.pem: goes with its key"))
        #expect(lines[2].hasPrefix("problem  TLS: 127.0.0.1: no public authority issued the certificate"))
        _ = server.end(SIGTERM)
    }

    @Test(
        "A certificate has to carry the name or the address that is asked for, whatever its subject says",
        arguments: [
            ("localhost", "DNS:localhost", nil), ("127.0.0.1", "IP:127.0.0.1", nil),
            ("localhost", "DNS:*.localhost,DNS:other.example", "the certificate is for another name"),
            ("127.0.0.1", "IP:127.0.0.2,DNS:127.0.0.1", "the certificate is for another name"),
            ("localhost", "email:someone@localhost", "the certificate is for another name"),
        ] as [(String, String, String?)])
    func trusted(_ host: String, _ names: String, _ refusal: String?) throws {
        let made = try run(
            SkanProcess.openssl,
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "60"]
                + ["-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)"]
                + ["-keyout", "tls-key.pem", "-out", "tls.pem"])
        try #require(made.status == 0, "\(made.errors)")
        let server = try SkanServer(
            in: folder, arguments: ["--tls-certificate", "tls.pem", "--tls-key", "tls-key.pem"])
        let outcome = try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["SSL_CERT_FILE=tls.pem", SkanProcess.binary.path, "doctor", "--url", "https://\(host):\(server.port)"])
        let lines = outcome.output.split(separator: "\n").filter { $0.contains(" TLS: ") }
        let expected =
            refusal.map { "problem  TLS: \(host): \($0)" } ?? "ok       TLS: TLS 1.3, trusted here"
        #expect(lines.count == 1 && lines.first?.hasPrefix(expected) == true, "\(outcome)")
        // With a certificate that is trusted, the deliveries go over the same TLS.
        #expect(outcome.output.contains("/skadnetwork/postbacks") == (refusal == nil), "\(outcome)")
        _ = server.end(SIGTERM)
    }

    @Test(
        "The clock of the server is held against this machine's where a proxy says it",
        arguments: [
            (0.0, "ok       clock: the answer's Date agrees"), (-60, "warning  clock: the answer's Date is "),
            (3_600, "problem  clock: the answer's Date is "),
        ])
    func clock(_ offset: Double, _ line: String) throws {
        let server = try DatedServer(offset: offset, in: folder)
        let outcome = try skan("doctor", "--url", "\(server.url)/any")
        #expect(outcome.output.split(separator: "\n").contains { $0.hasPrefix(line) }, "\(outcome)")
        #expect(outcome.output.contains("set both right with NTP") == (offset != 0), "\(outcome)")
        #expect(outcome.output.contains(" s ahead of this machine's clock") == (offset > 0), "\(outcome)")
    }

    @Test("Our ids are looked for in Info.plist and in published lists")
    func lists() throws {
        func plist(_ key: String, _ ids: [String]) -> String {
            let items = ids.map { "<dict><key>SKAdNetworkIdentifier</key><string>\($0)</string></dict>" }.joined()
            return "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>\(key)</key>"
                + "<array>\(items)</array></dict></plist>"
        }
        func list(_ key: String, _ id: String) -> String { #"{"skadnetwork_ids":[{"\#(key)":"\#(id)"}]}"# }
        let ours = "example123.skadnetwork"
        let rows: [(option: String, text: String, line: String)] = [
            ("--info-plist", plist("SKAdNetworkItems", [ours]), "ok       Info.plist list: has \(ours)"),
            ("--info-plist", plist("SKAdNetworkItems", []), "\(ours) is missing"),
            ("--info-plist", plist("SKAdNetworkItems", ["example1.skadnetwork"]), "\(ours) truncated; write"),
            (
                "--info-plist", plist("SKAdNetworkItems", ["example123.adattributionkit"]), "\(ours) is missing"
            ),
            ("--info-plist", plist("SKAdNetworkItems", ["Example123.skadnetwork"]), "for \(ours); write"),
            ("--info-plist", plist("SKAdNetworkItems", [ours, ours]), "more than once: \(ours); leave"),
            ("--info-plist", plist("SKADNetworkItem", [ours]), "write SKAdNetworkItems"),
            ("--info-plist", "{", "it is no property list"),
            ("--skadnetworkids", list("skadnetwork_id", ours), "ok       list list: has \(ours)"),
            ("--skadnetworkids", list("id", ours), "1 of 1 items have no skadnetwork_id; found id; write"),
            ("--skadnetworkids", plist("SKAdNetworkItems", [ours]), "ok       list list: has \(ours)"),
            ("--skadnetworkids", "\u{FEFF}" + list("skadnetwork_id", ours), "ok       list list: has \(ours)"),
            ("--skadnetworkids", "[\(list("skadnetwork_id", ours))]", "it is a JSON array, not an object"),
            ("--skadnetworkids", "<!DOCTYPE html><p>", "it is a page in HTML"),
            (
                "--info-plist",
                "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>SKAdNetworkItems</key>"
                    + "<array><string>\(ours)</string></array></dict></plist>", "\(ours) is missing"
            ),
        ]
        for (option, text, line) in rows {
            try write(text, to: "list")
            let outcome = try skan("doctor", option, "list", "--network", ours)
            #expect(outcome.output.contains(line), "\(outcome)")
        }
        #expect(try skan("doctor", "--info-plist", "none").status == 1)
    }

    @Test("What is wrong is a problem with a cure")
    func unhealthy() throws {
        let outcome = try skan("doctor", "--url", "http://127.0.0.1:9", "--store", "none.sqlite", "--keys", "none.json")
        #expect(outcome.status == 1)
        let problems = outcome.output.split(separator: "\n").filter { $0.hasPrefix("problem") }
        #expect(problems.map { $0.split(separator: " ")[1] } == ["keys:", "store:", "connection:"], "\(outcome)")
        #expect(problems.allSatisfy { $0.contains("; ") })
    }
}

/// A server behind a proxy whose clock is wrong: every answer has that `Date`.
final class DatedServer {
    private let process = ChildProcess()
    let url: String

    private static let program = """
        import email.utils, http.server, sys, time
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                body = b'{"status":"quarantined","reason":"invalid-signature","kept":true}'
                self.send_response_only(200)
                self.send_header("date", email.utils.formatdate(time.time() + float(sys.argv[1]), usegmt=True))
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                body = b"<html>\\x1b[31m"
                self.send_response_only(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    init(offset: Double, in folder: WorkFolder) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", Self.program, "\(offset)"]
        process.currentDirectoryURL = folder.url
        process.standardOutput = output
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = "http://127.0.0.1:" + port.trimmingCharacters(in: .newlines)
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        }
        process.waitUntilExit()
    }
}

/// A running `skan listen` on a free port, ended by its process id.
final class SkanListener {
    private let process = ChildProcess()
    private let output = Pipe()
    let url: String

    init(in folder: WorkFolder, arguments: [String]) throws {
        let errors = Pipe()
        process.executableURL = SkanProcess.binary
        process.arguments = ["listen", "--listen", "127.0.0.1:0"] + arguments
        process.currentDirectoryURL = folder.url
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let more = errors.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw SkanServer.Failed(log: text)
            }
            text += String(decoding: more, as: UTF8.self)
        }
        url = text.split(separator: " ").last.map { $0.trimmingCharacters(in: .newlines) } ?? ""
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        }
    }

    /// Ends it, and returns the lines it printed.
    func end() -> [String] {
        kill(process.processIdentifier, SIGTERM)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map { String($0) }
    }
}
