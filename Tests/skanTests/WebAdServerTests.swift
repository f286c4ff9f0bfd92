import Attribution
import Foundation
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("Web ads, as a process", .timeLimit(.minutes(5)))
struct WebAdServerTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        _ = try skan(["keys", "generate", "net.pem"])
        let list = """
            {"keys": [{"ad-network-id": "example123.skadnetwork", "file": "net.pem", "versions": "2.1-4.0",
                       "use": "active"}]}
            """
        try write(list, to: "keys.json")
    }

    private func server(_ more: [String] = []) throws -> SkanServer {
        try SkanServer(in: folder, arguments: ["--signing-keys", "keys.json"] + more)
    }

    // MARK: Issuing and tapping

    private struct Link: Decodable {
        let href: String
        let attributionDestination: String
        let attributionSourceNonce: String
        let html: String
        let nonce: String
    }

    private static let issue = [
        "web-ad", "issue", "--store", "skan.sqlite", "--source-identifier", "3120", "--advertised-app", "525463029",
        "--destination", "https://network.example", "--network",
    ]

    private func issue(
        _ options: [String] = ["--source-domain", "example.com"],
        network: String = "example123.skadnetwork",
        isExpired: Bool = false
    ) throws -> Link {
        let outcome = try skan(Self.issue + [network] + options)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("warning: these ads expired at ") == isExpired)
        return try JSONDecoder().decode(Link.self, from: Data(outcome.output.utf8))
    }

    private static func body(_ nonce: String, domain: String = "example.com", version: String = "4.0") -> String {
        #"{"source_engagement_type":"click_to_App_Store","source_domain":"\#(domain)","source_nonce":"\#(nonce)","#
            + #""version":"\#(version)"}"#
    }

    private static func url(_ server: SkanServer) -> String {
        "http://127.0.0.1:\(server.port)/.well-known/skadnetwork/get-signed-payload"
    }

    private func post(_ body: String, to url: String, type: String = "application/json") throws -> String {
        try write(body, to: "body")
        return try run(
            SkanProcess.curl,
            ["-s", "-i", "--max-time", "60", "-H", "Content-Type: \(type)", "--data-binary", "@body", url]
        ).output
    }

    private func expect(_ answer: String, _ status: String, _ reason: String) {
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
        #expect(answer.contains("{\"status\":\"refused\",\"reason\":\"\(reason)\",\"detail\":\""), "\(answer)")
    }

    @Test("Issued while the server runs, a link is answered with the payload that openssl verifies, once")
    func payload() throws {
        let server = try server()
        let link = try issue()
        let start = Int64(Date().timeIntervalSince1970 * 1000)
        let answer = try post(Self.body(link.attributionSourceNonce), to: Self.url(server))
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"))
        let text = try #require(answer.components(separatedBy: "\r\n\r\n").last)
        let shape = try Regex(
            #"\{"version":"4\.0","ad_network_id":"example123\.skadnetwork","source_identifier":3120,"#
                + #""itunes_item_id":525463029,"nonce":"(.+)","source_domain":"example\.com","timestamp":(\d{13}),"#
                + #""signature":"([A-Za-z0-9+/]+={0,2})"\}\n"#)
        let match = try #require(text.wholeMatch(of: shape), "\(text)")
        let (nonce, timestamp, signature) = (match[1].substring, match[2].substring, match[3].substring)
        #expect(nonce.map(String.init) == link.nonce)
        let time = try #require(timestamp.flatMap { Int64($0) })
        #expect((start...Int64(Date().timeIntervalSince1970 * 1000)).contains(time))

        // The text is put together here, in the order of Apple's page, and another program verifies it.
        let signed = [
            "4.0", "example123.skadnetwork", "3120", "525463029", link.nonce, "example.com", "1", String(time),
        ].joined(separator: "\u{2063}")
        _ = try run(SkanProcess.openssl, ["pkey", "-in", "net.pem", "-pubout", "-out", "net.public.pem"])
        let der = signature.flatMap { Data(base64Encoded: String($0)) }
        #expect(try opensslVerifies(der, signed, key: "net.public.pem"))

        expect(
            try post(Self.body(link.attributionSourceNonce), to: Self.url(server)), "409 Conflict", "nonce-used")
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("The padded spelling is answered too, and counts as the same nonce")
    func padding() throws {
        let server = try server()
        let link = try issue()
        let answer = try post(Self.body(link.attributionSourceNonce + "=="), to: Self.url(server) + "/")
        #expect(answer.contains("200 OK") && answer.contains("\"nonce\":\"\(link.nonce)\""), "\(answer)")
        expect(
            try post(Self.body(link.attributionSourceNonce), to: Self.url(server)), "409 Conflict", "nonce-used")
    }

    @Test("Every refusal has its status and reason, and burns no nonce")
    func refusals() throws {
        // Issued with a list of keys that this server does not have.
        let others = """
            {"keys": [{"ad-network-id": "other.skadnetwork", "file": "net.pem", "versions": "2.1-4.0",
                       "use": "active"}]}
            """
        try write(others, to: "others.json")
        let keylessServer = try SkanServer(in: folder, arguments: [])
        #expect(keylessServer.end(SIGTERM).status == 0)
        let keyless = try issue(["--keys", "others.json"], network: "other.skadnetwork").attributionSourceNonce
        let server = try server()
        let url = Self.url(server)
        let link = try issue()
        let nonce = link.attributionSourceNonce
        expect(try post(Self.body(nonce, domain: "foreign.example"), to: url), "403 Forbidden", "domain-not-allowed")
        expect(
            try post(Self.body(nonce, version: "5.0"), to: url), "422 Unprocessable Content", "unknown-version")
        expect(try post(Self.body(nonce + "="), to: url), "400 Bad Request", "malformed")
        expect(try post("tap", to: url), "400 Bad Request", "not-json")
        expect(try post(Self.body("t8naKxXHTzuTJhNfljADPQ"), to: url), "404 Not Found", "nonce-unknown")
        let expired = try issue(["--issued-at", "1795000000000", "--lifetime", "1"], isExpired: true)
        expect(try post(Self.body(expired.attributionSourceNonce), to: url), "410 Gone", "nonce-expired")
        let refused = try skan(Self.issue + ["other.skadnetwork"])
        #expect(refused.status == 2 && refused.errors.contains("no active key for other.skadnetwork"), "\(refused)")
        let answer = try post(Self.body(keyless), to: url)
        expect(answer, "503 Service Unavailable", "key-missing")
        #expect(answer.contains("Retry-After: 60\r\n"))
        #expect(try post(Self.body(nonce), to: url).contains("200 OK"))
    }

    @Test("64 taps at once: one payload, 63 refusals")
    func concurrency() throws {
        let server = try server()
        let link = try issue()
        try write(Self.body(link.attributionSourceNonce), to: "body")
        _ = try run(
            SkanProcess.curl,
            ["-s", "--parallel", "--parallel-immediate", "--parallel-max", "64", "--max-time", "60"]
                + ["-H", "Content-Type: application/json", "--data-binary", "@body"]
                + (0..<64).flatMap { ["-o", "answer-\($0)", Self.url(server)] })
        let answers = try (0..<64).map {
            try String(contentsOf: folder.url.appendingPathComponent("answer-\($0)"), encoding: .utf8)
        }
        #expect(answers.filter { $0.contains("\"signature\"") }.count == 1)
        #expect(answers.filter { $0.contains("\"nonce-used\"") }.count == 63)
    }

    /// How often nonces were answered with a payload, and when the server is to be killed.
    private final class Payloads: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        /// Counts a payload.
        ///
        /// - Returns: How many there are.
        func add(_ nonce: String) -> Int {
            counts.withLock { counts in
                counts[nonce, default: 0] += 1
                return counts.count
            }
        }

        func count(_ nonce: String) -> Int {
            counts.withLock { $0[nonce] ?? 0 }
        }
    }

    /// Taps nonces over one connection until the server is gone.
    private static func tap(
        _ nonces: [String], _ client: RawClient, _ payloads: Payloads, onPayload: (Int) -> Void = { _ in }
    ) -> [Int] {
        var statuses: [Int] = []
        for nonce in nonces {
            let body = body(nonce)
            client.send(
                "POST /.well-known/skadnetwork/get-signed-payload HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            guard let answer = try? client.answer() else { break }
            statuses.append(answer.status)
            if answer.status == 200 { onPayload(payloads.add(nonce)) }
        }
        return statuses
    }

    @Test("Of nonces tapped by many while the server is killed with -9 and started again, none is answered twice")
    func killedUnderTaps() async throws {
        var server = try server()
        let issued = try skan(
            Self.issue + ["example123.skadnetwork", "--source-domain", "example.com", "--count", "3000"])
        let nonces = try issued.output.split(separator: "\n").map {
            try JSONDecoder().decode(Link.self, from: Data($0.utf8)).attributionSourceNonce
        }
        #expect(nonces.count == 3000)
        // They lie together on disk.
        let texts = try nonces.map { try #require(Nonce(base64URL: $0)).text }
        #expect(texts == texts.sorted())
        let payloads = Payloads()
        let (clients, port, process) = (16, server.port, server.process.processIdentifier)
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for number in 0..<clients {
                group.addTask {
                    try await blocking {
                        // The task may have waited for other tests: longer than a connection may be idle, or until the
                        // server is gone.
                        guard let client = try? RawClient(port: port) else { return [] }
                        // Two clients each begin at the same nonce.
                        let start = number / 2 * nonces.count / clients * 2
                        return Self.tap(Array(nonces[start...] + nonces[..<start]), client, payloads) { count in
                            if count == 500 { Foundation.kill(process, SIGKILL) }
                        }
                    }
                }
            }
            for try await statuses in group {
                #expect(Set(statuses).isSubset(of: [200, 409]))
            }
        }
        _ = server.end(SIGKILL)
        let before = nonces.count { payloads.count($0) > 0 }
        #expect(before >= 500 && before < nonces.count, "\(before)")
        server = try self.server()
        let statuses = Self.tap(nonces + nonces, try RawClient(port: server.port), payloads)
        #expect(statuses.count == 2 * nonces.count && statuses.suffix(nonces.count).allSatisfy { $0 == 409 })
        #expect(nonces.allSatisfy { payloads.count($0) <= 1 })
        // One tap of each client may have been committed and not answered.
        #expect(nonces.count { payloads.count($0) == 0 } <= clients)
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test(
        "When the file of web ads is lost, taps are refused, and postbacks are still recorded",
        arguments: [true, false]
    )
    func filesLost(_ isMoved: Bool) throws {
        var server = try server()
        let (answered, waiting) = (try issue(), try issue())
        #expect(try post(Self.body(answered.attributionSourceNonce), to: Self.url(server)).contains("200 OK"))
        let file = folder.path("skan.sqlite-web-ads")
        if isMoved {
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: file + suffix) }
        } else {
            try FileHandle(forWritingTo: URL(fileURLWithPath: file + "-wal")).truncate(atOffset: 0)
        }
        expect(
            try post(Self.body(waiting.attributionSourceNonce), to: Self.url(server)), "503 Service Unavailable",
            "store-failed")
        let line = try #require(try server.lineOfLog("; this process no longer records in it; "))
        #expect(line.contains("skan.sqlite-web-ads: the store"), "\(line)")
        let ready = try run(SkanProcess.curl, ["-s", "\(server.console)/readyz"]).output
        #expect(ready.contains("web ads: the store"), "\(ready)")
        #expect(try post(CommandTests.body("skan-3.0-win"), to: server.url).contains("200 OK"))
        _ = server.end(SIGTERM)
        guard isMoved else {
            #expect(line.contains(/so it was moved to \S+\.damaged-\S+; restart, or restore a backup$/), "\(line)")
            server = try self.server()
            for ad in [answered, waiting] {
                expect(
                    try post(Self.body(ad.attributionSourceNonce), to: Self.url(server)), "404 Not Found",
                    "nonce-unknown")
            }
            return
        }
        let copy = try #require(line.firstMatch(of: /; everything was copied to ([^;]+); move it to/)).1
        try FileManager.default.moveItem(atPath: String(copy), toPath: file)
        server = try self.server()
        expect(
            try post(Self.body(answered.attributionSourceNonce), to: Self.url(server)), "409 Conflict", "nonce-used")
        #expect(try post(Self.body(waiting.attributionSourceNonce), to: Self.url(server)).contains("200 OK"))
    }

    @Test("Without signing keys the route and the console say so, and no file is made")
    func withoutKeys() throws {
        let server = try SkanServer(in: folder, arguments: [])
        let answer = try post(Self.body("t8naKxXHTzuTJhNfljADPQ"), to: Self.url(server))
        expect(answer, "503 Service Unavailable", "no-signing-keys")
        #expect(answer.contains("Retry-After: 60\r\n"))
        expect(
            try post("{}", to: server.console + "/v1/web-ads"), "503 Service Unavailable", "no-signing-keys")
        let metrics = try run(SkanProcess.curl, ["-s", "\(server.console)/metrics"]).output
        #expect(metrics.contains("skan_web_ad_taps_total{outcome=\"no-signing-keys\"} 1\n"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("skan.sqlite-web-ads")))
    }

    @Test(
        "Without a server a link needs a key for its network as well",
        arguments: [
            ([], "example123.skadnetwork", "expected --keys LIST"),
            (["--keys", "keys.json"], "other.skadnetwork", "no active key for other.skadnetwork"),
            (["--keys", "keys.json"], "example123.skadnetwork", nil),
        ] as [([String], String, String?)])
    func keyless(_ options: [String], _ network: String, _ words: String?) throws {
        #expect(try server().end(SIGTERM).status == 0)
        let outcome = try skan(Self.issue + [network] + options)
        #expect(outcome.status == (words == nil ? 0 : 2))
        #expect(outcome.output.isEmpty == (words != nil))
        #expect(words.map { outcome.errors.contains($0) } ?? true, "\(outcome.errors)")
    }

    @Test(
        "Many links come from the server that has the store, or without one, as JSON and as HTML",
        arguments: [true, false])
    func many(_ isRunning: Bool) throws {
        let server = try server()
        if !isRunning {
            #expect(server.end(SIGTERM).status == 0)
        }
        let options = ["example123.skadnetwork", "--count", "3"] + (isRunning ? [] : ["--keys", "keys.json"])
        let json = try skan(Self.issue + options)
        let links = try json.output.split(separator: "\n").map {
            try JSONDecoder().decode(Link.self, from: Data($0.utf8))
        }
        #expect(Set(links.map(\.nonce)).count == 3)
        let html = try skan(Self.issue + options + ["--format", "html"])
        #expect(html.output.split(separator: "\n").filter { $0.hasPrefix("<a href=") }.count == 3, "\(html)")
        #expect(json.errors.contains("done by the process that has the store open") == isRunning)
    }

    // MARK: The console

    private static let request =
        #"{"ad-network-id":"example123.skadnetwork","itunes-item-id":525463029,"source-identifier":39,"#
        + #""attribution-destination":"https://network.example","source-domains":["example.com"],"#
        + #""label":"Tom & co","lifetime-seconds":60}"#

    @Test("The console issues what the public listener answers, and refuses by name")
    func console() throws {
        let server = try server()
        let url = server.console + "/v1/web-ads"
        let answer = try post(Self.request, to: url)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
        let link = try JSONDecoder().decode(
            Link.self, from: Data(try #require(answer.components(separatedBy: "\r\n\r\n").last).utf8))
        #expect(link.href == "https://apps.apple.com/app/id525463029")
        #expect(link.attributionDestination == "https://network.example")
        #expect(link.html.hasSuffix("attributionSourceNonce=\"\(link.attributionSourceNonce)\">Tom &amp; co</a>"))
        #expect(
            try post(Self.body(link.attributionSourceNonce), to: Self.url(server))
                .contains("\"source_identifier\":39,"))

        let rows: [(String, String, String, String)] = [
            ("[]", "application/json", "400 Bad Request", "not-json"),
            ("{}", "application/json", "400 Bad Request", "bad-field"),
            (
                Self.request.replacingOccurrences(of: "source-domains", with: "source-domain"), "application/json",
                "400 Bad Request", "bad-field"
            ),
            (
                Self.request.replacingOccurrences(of: "example123", with: "other"), "application/json",
                "422 ", "no-key"
            ),
            (Self.request, "text/plain", "415 Unsupported Media Type", "unsupported-media-type"),
            (String(repeating: " ", count: 20_000), "application/json", "413 ", "body-too-large"),
        ]
        for (body, type, status, reason) in rows {
            expect(try post(body, to: url, type: type), status, reason)
        }
    }

    // MARK: The device

    @Test("Ads are issued, tapped, installed and reported; tapped again they are refused")
    func device() throws {
        _ = try skan(["simulate", "--count", "1", "--output", "made", "--keys", "keys"])
        let server = try server(SkanServer.testKeys)
        let issued = try skan(
            Self.issue + ["example123.skadnetwork", "--source-domain", "example.com", "--count", "20"])
        let tap = [
            "web-ad", "tap", "--source-domain", "example.com", "--network-key", "net.pem", "--keys", "keys", "--url",
            "http://127.0.0.1:\(server.port)",
        ]
        let first = try skan(tap, input: issued.output)
        #expect(first.output == "tapped 20: valid payloads 20, postbacks recorded 20\n")
        #expect(first.status == 0, "\(first.errors)")
        let second = try skan(tap, input: issued.output)
        #expect(second.status == 1)
        #expect(second.output.contains("the tap was answered 409, expected 200: {\"status\":\"refused\","))
        #expect(second.output.hasSuffix("tapped 20: valid payloads 0, postbacks recorded 0\n"))
        let report = try skan(["report", "--store", "skan.sqlite", "--test", "--by", "source", "--format", "csv"])
        #expect(report.output.contains("example.com,20,20,"), "\(report.output)")
    }

    @Test("Taps end at the first server that is not there, with the reason")
    func nobodyListens() throws {
        let server = try server()
        let issued = try skan(Self.issue + ["example123.skadnetwork", "--count", "3"])
        _ = server.end(SIGTERM)
        let tapped = try skan(
            ["web-ad", "tap", "--source-domain", "example.com", "--network-key", "net.pem"]
                + ["--url", "http://127.0.0.1:\(server.port)"], input: issued.output)
        #expect(tapped.status == 2 && tapped.output.isEmpty, "\(tapped)")
        #expect(
            tapped.errors.hasPrefix("skan: error: no answer from http://127.0.0.1:\(server.port)/")
                && tapped.errors.contains(" after 0 taps: Connection refused\n"), "\(tapped)")
    }

    @Test("Links in HTML are tapped as those in JSON are")
    func linksInHTML() throws {
        let server = try server()
        let issued = try skan(
            Self.issue + ["example123.skadnetwork", "--count", "3", "--format", "html", "--label", "A & {\"B\"} > C"])
        #expect(issued.output.hasPrefix("<a href=\"https://apps.apple.com/app/id"), "\(issued)")
        let tap = [
            "web-ad", "tap", "--source-domain", "example.com", "--network-key", "net.pem", "--url",
            "http://127.0.0.1:\(server.port)",
        ]
        let tapped = try skan(tap, input: issued.output)
        #expect(tapped.output == "tapped 3: valid payloads 3\n" && tapped.status == 0, "\(tapped)")
        let broken = try skan(
            tap, input: "<a href=\"https://apps.apple.com/app/id1\">A</a>\n")
        #expect(broken.errors.contains("standard input: attributionDestination: found nothing"), "\(broken)")
    }

    @Test("A device with another public key, or on another app's link, drops the payload by name")
    func suspiciousDevice() throws {
        _ = try skan(["keys", "generate", "other.pem"])
        let server = try server()
        func tap(_ key: String, _ input: String) throws -> SkanProcess.Outcome {
            try skan(
                ["web-ad", "tap", "--source-domain", "example.com", "--network-key", key]
                    + ["--url", "http://127.0.0.1:\(server.port)/", "-"], input: input)
        }
        func issued() throws -> String {
            try skan(Self.issue + ["example123.skadnetwork"]).output
        }
        let strange = try tap("other.pem", issued())
        #expect(strange.status == 1)
        #expect(strange.output.contains(": signature: found the string"), "\(strange.output)")
        let swapped = try tap("net.pem", issued().replacingOccurrences(of: "id525463029", with: "id684939"))
        #expect(swapped.status == 1)
        #expect(swapped.output.contains(": itunes_item_id: found the number 525463029, expected the number 684939"))
    }

    @Test(
        "Bad input of the commands ends with 2 and says what was expected",
        arguments: [
            (
                ["issue", "--store", "none.sqlite", "--network", "n", "--advertised-app", "1"]
                    + ["--source-identifier", "1", "--destination", "https://n.example"],
                "there is no store at none.sqlite"
            ),
            (
                ["issue", "--store", "keys.json", "--network", "n", "--advertised-app", "1"]
                    + ["--source-identifier", "1", "--destination", "http://n.example"],
                "--destination: found \"http://n.example\", expected an origin without path"
            ),
            (
                ["tap", "--source-domain", "d.example", "--network-key", "net.pem"],
                "there is no link in standard input"
            ),
            (
                ["tap", "--source-domain", "d.example", "--network-key", "net.pem", "keys.json"],
                "keys.json: href: found nothing"
            ),
        ])
    func badInput(_ arguments: [String], _ words: String) throws {
        let outcome = try skan(["web-ad"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
}
