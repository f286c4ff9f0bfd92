import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("The signing listener, as a process", .timeLimit(.minutes(5)))
struct SigningListenerTests: FolderSuite {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
        try folder.makeSigningKeys()
    }

    private static func order(_ item: Int = 525_463_029) -> String {
        """
        {"forms": ["storekit-rendered", "view-through"], "versions": ["4.0"], \
        "ad-network-id": "example123.skadnetwork", "itunes-item-id": \(item), "source-app-id": 2, \
        "source-identifier": 39}
        """
    }

    private func curl(_ arguments: String...) throws -> String {
        try run(
            SkanProcess.curl, ["-s", "-i", "--max-time", "60", "-H", "Content-Type: application/json"] + arguments
        ).output
    }

    // MARK: Without a store

    @Test("Signs at a socket without a store, counts what it signed in a file, and removes the socket in the end")
    func withoutStore() throws {
        let arguments = [
            "--signing", "unix:signer.sock", "--signing-keys", "keys.json", "--counts", "counts.ndjson",
        ]
        let socket = folder.path("signer.sock")
        let server = try SkanServer(in: folder, store: nil, arguments: arguments)
        #expect(server.startLog.contains(" listening for signing address=unix:signer.sock scheme=http"))
        #expect(!server.startLog.contains("listening for postbacks") && !server.startLog.contains("store"))
        let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for item in [1, 1, 2] {
            let answer = try curl(
                "--unix-socket", "signer.sock", "--data", Self.order(item), "http://any.example/v1/impressions")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
        }
        #expect(try curl("\(server.console)/readyz").hasSuffix("\r\n\r\nready\n"))
        #expect(try curl("\(server.console)/v1/report").hasPrefix("HTTP/1.1 404 "))
        let metrics = try curl("\(server.console)/metrics")
        #expect(metrics.contains(#"skan_signing_requests_total{route="/v1/impressions",status="200",caller=""} 3"#))
        let counter = try #require(
            metrics.firstMatch(of: /skan_signatures_total\{network="example123.skadnetwork",key="([0-9a-f]{16})"\} 6/))
        let key = try SignaturePublicKey(file: folder.path("new.pem"))
        #expect(key.fingerprint.hasPrefix(counter.1))
        #expect(metrics.contains("skan_signing_queue_depth 0"))
        let second = try skan(["serve", "--console", "127.0.0.1:0"] + arguments)
        #expect(second.status == 2)
        #expect(second.errors.contains("another process listens at signer.sock"), "\(second.errors)")
        #expect(server.end(SIGTERM).status == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
        let text = try String(contentsOfFile: folder.path("counts.ndjson"), encoding: .utf8)
        let lines = try text.split(separator: "\n").map { try SignedImpressionCount(reading: Array($0.utf8)) }
        #expect(text.hasSuffix("\n"))
        #expect(lines.map(\.campaign.network) == ["example123.skadnetwork", "example123.skadnetwork"])
        let signed = Dictionary(uniqueKeysWithValues: lines.map { ($0.campaign.app.value, $0.signed) })
        #expect(signed == [1: 2, 2: 1], "an ad counts once, in all its forms")
        #expect(Set(lines.map(\.sequence)) == [1, 2])
        #expect(Set(lines.map(\.writer)).count == 1)
    }

    @Test("The socket of a killed server is replaced; anything else at its path is refused")
    func staleSocket() throws {
        let arguments = ["--signing", "unix:signer.sock", "--signing-keys", "keys.json"]
        let killed = try SkanServer(in: folder, store: nil, arguments: arguments)
        _ = killed.end(SIGKILL)
        #expect(FileManager.default.fileExists(atPath: folder.path("signer.sock")))
        let check = try skan(["serve", "--check", "--console", "127.0.0.1:0"] + arguments)
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.output.contains("signing: socket signer.sock\n"))
        let server = try SkanServer(in: folder, store: nil, arguments: arguments)
        let answer = try curl("--unix-socket", "signer.sock", "--data", Self.order(), "http://a/v1/impressions")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(server.end(SIGTERM).status == 0)
        try Data().write(to: folder.url.appendingPathComponent("signer.sock"))
        let refused = try skan(["serve", "--check", "--console", "127.0.0.1:0"] + arguments)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("signer.sock exists and is not a socket"), "\(refused.errors)")
    }

    // MARK: Settings

    static let contradictions: [([String], String)] = [
        (["--signing", "127.0.0.1:9"], "there are no keys to sign with"),
        (
            ["--signing", "127.0.0.1:7000", "--console", "127.0.0.1:7000", "--signing-keys", "keys.json"],
            "--console and --signing are both 127.0.0.1:7000"
        ),
        (
            ["--signing", "127.0.0.1:8080", "--signing-keys", "keys.json", "--store", "s.sqlite"],
            "--listen and --signing are both 127.0.0.1:8080"
        ),
        (
            ["--signing", "0.0.0.0:0", "--signing-keys", "keys.json"],
            "--signing 0.0.0.0:0: without tokens anyone could have signatures"
        ),
        (
            ["--signing", "0.0.0.0:0", "--signing-keys", "keys.json", "--tokens", "tokens.json"],
            "--signing 0.0.0.0:0: without TLS, tokens and signatures would cross the network in the clear"
        ),
        (["--counts", "c.ndjson", "--store", "s.sqlite"], "--counts: without --signing nothing is counted"),
        (
            [
                "--counts", "c.ndjson", "--store", "s.sqlite", "--signing", "127.0.0.1:0", "--signing-keys",
                "keys.json",
            ], "--counts: a file of counts is for a server without a store"
        ),
        (
            ["--counts", "none/c.ndjson", "--signing", "127.0.0.1:0", "--signing-keys", "keys.json"],
            "cannot write none/c.ndjson: No such file or directory"
        ),
        ([], "expected --store FILE"),
        (
            ["--listen", "127.0.0.1:0", "--signing", "127.0.0.1:0", "--signing-keys", "keys.json"],
            "--listen 127.0.0.1:0: postbacks need a store"
        ),
    ]

    @Test("Settings that do not go together are named, and a server does not start", arguments: contradictions)
    func contradiction(_ arguments: [String], _ message: String) throws {
        let console = arguments.contains("--console") ? [] : ["--console", "127.0.0.1:0"]
        for check in [["--check"], []] {
            let outcome = try skan(["serve"] + check + console + arguments)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("s.sqlite")))
    }

    @Test(
        "A file of counts that could not be appended to is named before the first ad is signed",
        arguments: ["other", "other\n", "\n", "{\"version\":1}\n# a comment\n"])
    func otherCounts(_ contents: String) throws {
        try Data(contents.utf8).write(to: URL(fileURLWithPath: folder.path("c.ndjson")))
        for check in [["--check"], []] {
            let outcome = try skan(
                ["serve", "--console", "127.0.0.1:0", "--signing", "127.0.0.1:0", "--signing-keys", "keys.json"] + check
                    + ["--counts", "c.ndjson"])
            #expect(outcome.status == 2)
            #expect(
                outcome.errors.contains("cannot write c.ndjson: it does not end with a line of counts"),
                "\(outcome.errors)")
        }
    }

    // MARK: Tokens

    @Test("A token with the scope sign opens it, and metrics and the log name its holder")
    func tokens() throws {
        let (dsp, viewer) = (try token("dsp-1", "sign"), try token("viewer", "report"))
        let server = try SkanServer(
            in: folder, arguments: SkanServer.signing + ["--tokens", "tokens.json", "--log-level", "debug"])
        func status(_ authorization: String?) throws -> String {
            let field = authorization.map { ["-H", "Authorization: \($0)"] } ?? []
            return try run(
                SkanProcess.curl,
                ["-s", "-i", "--max-time", "60", "-H", "Content-Type: application/json"] + field
                    + ["--data", Self.order(), "\(server.signer)/v1/impressions"]
            ).output
        }
        let none = try status(nil)
        #expect(none.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"), "\(none)")
        #expect(none.contains("\r\nWWW-Authenticate: Bearer realm=\"skan\"\r\n"))
        #expect(try status("Bearer nonsense").contains(#""reason":"unknown-token""#))
        #expect(try status("Bearer a b").hasPrefix("HTTP/1.1 400 "))
        #expect(try status("Bearer \(viewer)").contains(#"error="insufficient_scope", scope="sign""#))
        #expect(try status("Bearer \(dsp)").hasPrefix("HTTP/1.1 200 "))
        let line = try #require(try server.lineOfLog(" debug signed "))
        for field in ["networks=example123.skadnetwork", "signatures=2", "token=dsp-1", "route=/v1/impressions"] {
            #expect(line.contains(field), "\(line)")
        }
        #expect(line.contains(#/ keys=[0-9a-f]{16} /#))
        let metrics = try run(
            SkanProcess.curl,
            ["-s", "--max-time", "60", "-H", "Authorization: Bearer \(viewer)", "\(server.console)/metrics"]
        ).output
        #expect(metrics.contains(#"status="200",caller="dsp-1"} 1"#), "\(metrics)")
        #expect(metrics.contains(#"status="403",caller="viewer"} 1"#))
        #expect(!(line + metrics).contains(dsp))
        #expect(server.end(SIGTERM).status == 0)
    }

    // MARK: Keys exchanged under load

    /// What clients and their test tell each other.
    private final class Load: Sendable {
        let isOver = Mutex(false)
        /// The indices of the keys that signed answers.
        let used = Mutex<Set<Int>>([])
    }

    @Test("While keys are exchanged, every answer verifies with one of both, and the stop is clean")
    func exchange() async throws {
        for name in ["a", "b"] {
            _ = try skan(["keys", "generate", "\(name).pem"])
        }
        func use(_ name: String) throws {
            let list = """
                {"keys": [{"ad-network-id": "example123.skadnetwork", "file": "\(name).pem", "versions": "2.1-4.0",
                           "use": "active"}]}
                """
            // As a whole: a server may be reading it.
            try Data(list.utf8).write(to: folder.url.appendingPathComponent("keys.json"), options: .atomic)
        }
        try use("a")
        let keys = try ["a", "b"].map { try SignaturePublicKey(file: folder.path("\($0).pem")) }
        let server = try SkanServer(in: folder, store: nil, arguments: SkanServer.signing)
        let client = ConsoleClient(url: server.signer)
        let load = Load()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var count = 0
                    while !load.isOver.withLock({ $0 }) {
                        let answer = try await client.post("/v1/impressions", json: Self.order())
                        #expect(answer.status == 200)
                        let key = try Self.key(of: answer.body, among: keys)
                        load.used.withLock { _ = $0.insert(key) }
                        count += 1
                    }
                    return count
                }
            }
            for exchange in 1...12 {
                try use(exchange.isMultiple(of: 2) ? "a" : "b")
                kill(server.process.processIdentifier, SIGHUP)
                #expect(try server.waitForLog("signing keys read again"))
                _ = try await client.post("/v1/impressions", json: Self.order())
            }
            // A list that cannot be used exchanges nothing.
            try Data("{}".utf8).write(to: folder.url.appendingPathComponent("keys.json"), options: .atomic)
            kill(server.process.processIdentifier, SIGHUP)
            #expect(try server.waitForLog("nothing was reloaded"))
            load.isOver.withLock { $0 = true }
            var count = 0
            for try await one in group { count += one }
            #expect(count > 0)
        }
        #expect(load.used.withLock { $0 } == [0, 1])
        #expect(server.end(SIGTERM).status == 0)
    }

    /// The index of the one key that verifies every signature of an answer.
    private static func key(of answer: [UInt8], among keys: [SignaturePublicKey]) throws -> Int {
        let object = try #require(JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any])
        let impressions = try #require(object["impressions"] as? [[String: Any]])
        try #require(impressions.count == 2)
        let signed = try impressions.map { impression in
            let values = try #require(impression["impression"] as? [String: Any])
            let names = [
                "version", "ad-network-id", "source-identifier", "itunes-item-id", "nonce", "source-app-id",
                "fidelity-type", "timestamp",
            ]
            let text = try names.map { "\(try #require(values[$0], "\($0)"))" }.joined(separator: "\u{2063}")
            let base64 = try #require(values["attribution-signature"] as? String)
            return (text: Array(text.utf8), signature: try #require(Base64.decode(base64)))
        }
        return try #require(
            keys.firstIndex { key in signed.allSatisfy { key.verifies($0.signature, forBytes: $0.text) } })
    }
}
