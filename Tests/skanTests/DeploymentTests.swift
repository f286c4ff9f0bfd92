import Foundation
import TestSupport
import Testing

/// What stands between devices and the server: load balancers, health checks, other paths, certificates.
@Suite("Deployments, as a process", .timeLimit(.minutes(10)))
struct DeploymentTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    private func curl(_ arguments: String...) throws -> String {
        try SkanProcess.run(SkanProcess.curl, ["-s", "-i", "--max-time", "60"] + arguments, in: folder.url).output
    }

    private func request(_ body: String) -> String {
        "POST /skadnetwork/postbacks HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test("Liveness says nothing, further paths take postbacks, and a compressed body is named")
    func paths() throws {
        let server = try SkanServer(
            in: folder, arguments: ["--postback-path", "/our/postbacks", "--postback-path", "/other/"])
        let origin = "http://127.0.0.1:\(server.port)"
        for path in ["/", "/healthz", "/healthz/"] {
            let answer = try curl(origin + path)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n"), "\(answer)")
            #expect(!answer.lowercased().contains("skan"), "\(answer)")
        }
        let body = try CommandTests.body("skan-3.0-win")
        let json = ["-H", "Content-Type: application/json"]
        for (path, status) in [
            ("/our/postbacks", "recorded"), ("/our/postbacks/", "duplicate"), ("/other", "duplicate"),
        ] {
            let answer = try curl(json[0], json[1], "--data-binary", body, origin + path)
            #expect(answer.contains("\"status\":\"\(status)\""), "\(answer)")
        }
        let compressed = try curl(
            json[0], json[1], "-H", "Content-Encoding: gzip", "--data-binary", body, server.url)
        #expect(compressed.hasPrefix("HTTP/1.1 415 "), "\(compressed)")
        #expect(compressed.contains("the Content-Encoding was \\\"gzip\\\""), "\(compressed)")
        let unknown = try curl(json[0], json[1], "--data-binary", body, origin + "/unknown")
        #expect(unknown.hasPrefix("HTTP/1.1 404 ") && unknown.contains("/our/postbacks"), "\(unknown)")
        _ = server.end(SIGTERM)
    }

    @Test(
        "A trusted proxy names its client by the PROXY protocol, version 1 and 2",
        arguments: [
            "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n",
            "\r\n\r\n\u{0}\r\nQUIT\n\u{21}\u{11}\u{0}\u{C}aaaabbbbccdd",
        ])
    func proxyProtocol(_ header: String) throws {
        let server = try SkanServer(in: folder, arguments: ["--proxy-protocol", "--trusted-proxy", "127.0.0.1"])
        let client = try RawClient(port: server.port)
        _ = client.send(header + request(try CommandTests.body("skan-3.0-win")))
        let answer = try client.answer()
        #expect(answer.status == 200 && answer.body.contains("recorded"), "\(answer)")
        // Without the header, the proxy is cut off and gets no answer.
        let silent = try RawClient(port: server.port)
        _ = silent.send(request("{}"))
        try silent.waitForEnd()
        #expect(try server.waitForLog("a trusted proxy began a connection without a PROXY header"))
        _ = server.end(SIGTERM)
    }

    @Test("A PROXY header that cannot be read is not called missing", arguments: ["TCP4 192.0.2.7", "UDP4 1"])
    func malformedProxyHeader(_ words: String) throws {
        let server = try SkanServer(in: folder, arguments: ["--proxy-protocol", "--trusted-proxy", "127.0.0.1"])
        let client = try RawClient(port: server.port)
        _ = client.send("PROXY \(words) 198.51.100.1 99999 443\r\n" + request("{}"))
        try client.waitForEnd()
        #expect(try server.waitForLog("with a PROXY header that cannot be read"))
        _ = server.end(SIGTERM)
    }

    @Test("Without the option the answer to a PROXY header names it")
    func noProxyProtocol() throws {
        let server = try SkanServer(in: folder, arguments: [])
        let client = try RawClient(port: server.port)
        _ = client.send("PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n" + request("{}"))
        let answer = try client.answer()
        #expect(answer.status == 400 && answer.body.contains("--proxy-protocol"), "\(answer)")
        _ = server.end(SIGTERM)
    }

    static let checks: [(arguments: [String], status: Int32, text: String)] = [
        (["--proxy-protocol"], 2, "--proxy-protocol: without a trusted proxy nobody may send a PROXY header"),
        (["--postback-path", "postbacks"], 2, "--postback-path: found \"postbacks\", expected the path of the URL"),
        (["--postback-path", "/a?b=c"], 2, "--postback-path: found \"/a?b=c\", expected the path of the URL"),
        (["--postback-path", "/skadnetwork/postbacks/"], 2, "expected a path that is not served already"),
        (["--postback-path", "/ours"], 0, "postback path: /ours"),
        (["--tls-certificate", "alone.pem", "--tls-key", "key.pem"], 0, "an intermediate certificate is missing"),
        (["--tls-certificate", "reversed.pem", "--tls-key", "key.pem"], 2, "the certificates are in the wrong order"),
        (["--tls-certificate", "whole.pem", "--tls-key", "key.pem"], 0, "ok: a server can start"),
        (["--tls-certificate", "glued.pem", "--tls-key", "key.pem"], 2, "put a line break between ----- and -----"),
        (["--tls-certificate", "cut.pem", "--tls-key", "key.pem"], 2, "certificate 2 of 2 is cut off or damaged"),
    ]

    @Test("serve --check names what keeps devices from arriving", arguments: checks)
    func check(_ row: (arguments: [String], status: Int32, text: String)) throws {
        let parts = ["server", "intermediate", "root"].map { "chain-\($0).pem" }
        let texts = try parts.map { try String(contentsOfFile: Fixture.path($0), encoding: .utf8) }
        let glued = texts.joined().replacing("-----\n-----", with: "----------")
        let files = [
            "alone": [texts[0]], "whole": texts, "reversed": Array(texts.reversed()), "glued": [glued],
            "cut": [texts[0], String(texts[1].prefix(200))],
        ]
        for (name, certificates) in files {
            try Data(certificates.joined().utf8).write(to: folder.url.appendingPathComponent("\(name).pem"))
        }
        let key = folder.url.appendingPathComponent("key.pem")
        try Data(contentsOf: URL(fileURLWithPath: Fixture.path("chain-server-key.pem"))).write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let outcome = try SkanProcess.run(
            ["serve", "--check", "--store", "skan.sqlite", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0"]
                + row.arguments, in: folder.url)
        #expect(outcome.status == row.status, "\(outcome)")
        #expect((outcome.output + outcome.errors).contains(row.text), "\(outcome)")
    }
}
