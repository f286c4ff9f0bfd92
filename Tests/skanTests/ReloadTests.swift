import AttributionHarness
import Foundation
import TestSupport
import Testing

@Suite("SIGHUP, to a process", .timeLimit(.minutes(5)))
struct ReloadTests: FolderSuite {
    let folder: WorkFolder

    static let arguments = [
        "--tls-certificate", "tls.pem", "--tls-key", "tls-key.pem", "--tokens", "tokens.json", "--signing-keys",
        "keys.json", "--signing", "127.0.0.1:0",
    ]
    static let networks = ["first.skadnetwork", "second.skadnetwork"]

    init() throws {
        folder = try WorkFolder()
        _ = try skan(["keys", "generate", "key.pem"])
        try list([Self.networks[0]])
        try folder.makeCertificate("first.example")
    }

    /// Writes the list of keys, with the one key for each network.
    private func list(_ networks: [String]) throws {
        let keys = networks.map { network in
            #"{"ad-network-id": "\#(network)", "file": "key.pem", "versions": "4.0", "use": "active"}"#
        }
        try write("{\"keys\": [\(keys.joined(separator: ", "))]}", to: "keys.json")
    }

    private func write(_ text: String, to name: String) throws {
        let file = folder.path(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// The statuses with which the server signs for each network.
    private func signs(_ server: SkanServer, _ token: String) throws -> [Int] {
        try Self.networks.map { network in
            let body = """
                {"forms": ["storekit-rendered"], "version": "4.0", "ad-network-id": "\(network)", "itunes-item-id": 1, \
                "source-app-id": 1, "source-identifier": 39}
                """
            // A process of its own: on a busy machine, a task may wait here longer than the server waits for a request.
            let outcome = try run(
                SkanProcess.curl,
                [
                    "-s", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                    "Authorization: Bearer \(token)", "-H", "Content-Type: application/json", "--data-binary", body,
                    server.signer + "/v1/impressions",
                ])
            return Int(outcome.output) ?? 0
        }
    }

    /// The host in the certificate that the server shows.
    private func host(_ server: SkanServer) throws -> Substring? {
        let shown = try run(
            SkanProcess.curl, ["-sS", "-k", "-v", "--max-time", "60", "https://127.0.0.1:\(server.port)/"])
        return shown.errors.firstMatch(of: /subject: CN=([a-z.]+)/)?.1
    }

    @Test("Certificate, tokens and signing keys are read again, and the log says what changed")
    func everything() throws {
        let token = try token("a", "sign")
        let server = try SkanServer(in: folder, arguments: Self.arguments)
        #expect(try signs(server, token) == [200, 422])
        #expect(try host(server) == "first.example")

        try list([Self.networks[1]])
        try folder.makeCertificate("second.example")
        kill(server.process.processIdentifier, SIGHUP)
        #expect(
            try server.waitForLog(
                "signing keys read again keys=1 networks=1 networks-added=second.skadnetwork "
                    + "networks-removed=first.skadnetwork"))
        #expect(try signs(server, token) == [422, 200])
        #expect(try host(server) == "second.example")

        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("tokens read again count=1 former=1"))
        #expect(server.end(SIGTERM).status == 0)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let part: String
        let reason: String
        /// Whether every token is refused after a while, because the list cannot be read at all.
        var closesConsole = false
        let make: @Sendable (ReloadTests) throws -> Void
    }

    private static let later = Date(timeIntervalSince1970: 4_133_980_800)

    /// Makes a valid certificate, followed by one that has expired.
    private func makeChainWithExpiredIntermediate() throws {
        let start = Date(timeIntervalSince1970: 1_577_836_800)
        try folder.makeCertificate("authority.example", start: start, end: start.addingTimeInterval(86_400))
        let intermediate = try String(contentsOfFile: folder.path("tls.pem"), encoding: .utf8)
        try folder.makeCertificate("chain.example")
        let own = try String(contentsOfFile: folder.path("tls.pem"), encoding: .utf8)
        try write(own + intermediate, to: "tls.pem")
    }

    static let faults = [
        Fault(testDescription: "the certificate is no PEM", part: "certificate", reason: "no certificate could be read")
        {
            try $0.write("nonsense", to: "tls.pem")
        },
        Fault(testDescription: "the certificate has expired", part: "certificate", reason: "expired at 2020-01-02") {
            try $0.folder.makeCertificate(
                "ended.example", start: Date(timeIntervalSince1970: 1_577_836_800),
                end: Date(timeIntervalSince1970: 1_577_923_200))
        },
        Fault(
            testDescription: "the certificate is not valid yet", part: "certificate",
            reason: "tls.pem is not valid before 2101-01-01T00:00:00Z"
        ) {
            try $0.makeLater()
        },
        Fault(
            testDescription: "an intermediate certificate has expired", part: "certificate",
            reason: "certificate 2 in tls.pem, an intermediate one, expired at 2020-01-02"
        ) {
            try $0.makeChainWithExpiredIntermediate()
        },
        Fault(testDescription: "others can read the TLS key", part: "certificate", reason: "read by others (mode 0644)")
        {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: $0.folder.path("tls-key.pem"))
        },
        Fault(testDescription: "the TLS key is a FIFO", part: "certificate", reason: "it is not a regular file") {
            try $0.replaceByFIFO("tls-key.pem")
        },
        Fault(testDescription: "the tokens are no list", part: "tokens", reason: "is not a token list") {
            try $0.write("[]", to: "tokens.json")
        },
        Fault(
            testDescription: "a token is a name in the list of tokens", part: "tokens",
            reason: #"the file: found an unknown name (number 1, not shown), expected only "tokens""#
        ) {
            try $0.write(#"{"skan_\#(String(repeating: "0e6b", count: 16))": []}"#, to: "tokens.json")
        },
        Fault(
            testDescription: "the tokens are a FIFO", part: "tokens", reason: "it is not a regular file",
            closesConsole: true
        ) {
            try $0.replaceByFIFO("tokens.json")
        },
        Fault(testDescription: "the keys are no list", part: "signing keys", reason: "keys.json: the file: found") {
            try $0.write("[]", to: "keys.json")
        },
        Fault(testDescription: "others can read a signing key", part: "signing keys", reason: "(mode 0604)") {
            try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: $0.folder.path("key.pem"))
        },
        Fault(testDescription: "a signing key is a FIFO", part: "signing keys", reason: "it is not a regular file") {
            try $0.replaceByFIFO("key.pem")
        },
    ]

    private func replaceByFIFO(_ name: String) throws {
        try FileManager.default.removeItem(atPath: folder.path(name))
        try #require(mkfifo(folder.path(name), 0o600) == 0)
    }

    @Test("If one part cannot be used nothing is exchanged, and the log says which part and why", arguments: faults)
    func fault(_ fault: Fault) throws {
        let token = try token("a", "sign")
        let server = try SkanServer(in: folder, arguments: Self.arguments)
        // All other parts are good and new.
        try list(Self.networks)
        try folder.makeCertificate("second.example")
        try fault.make(self)
        kill(server.process.processIdentifier, SIGHUP)
        let line = try #require(
            try server.lineOfLog("error nothing was reloaded: a file could not be read"))
        #expect(line.replacing("\\\"", with: "\"").contains(fault.reason), "\(line)")
        #expect(!line.contains("0e6b0e6b"), "\(line)")
        #expect(line.hasSuffix(fault.part.contains(" ") ? "part=\"\(fault.part)\"" : "part=\(fault.part)"), "\(line)")
        // A machine that is busy may take longer than the list may be away.
        let answers = try signs(server, token)
        #expect(zip(answers, [200, 422]).allSatisfy { $0 == $1 || fault.closesConsole && $0 == 401 }, "\(answers)")
        #expect(try host(server) == "first.example")
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A certificate that expires soon is a warning at startup, and again after a reload")
    func endsSoon() throws {
        let start = Date(timeIntervalSince1970: 1_577_836_800)
        try folder.makeCertificate("a.example", start: start, end: Date(timeIntervalSinceNow: 3 * 86_400))
        let server = try SkanServer(in: folder, arguments: Array(Self.arguments.prefix(4)))
        #expect(server.startLog.contains("warning the certificate expires soon: renew it, then send SIGHUP end="))
        try folder.makeCertificate("a.example", start: start, end: Date(timeIntervalSinceNow: 2 * 86_400))
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("warning the certificate expires soon: renew it, then send SIGHUP end="))
        #expect(server.end(SIGTERM).status == 0)
    }

    @Test("A certificate that has ended keeps a server from starting")
    func ended() throws {
        try folder.makeCertificate(
            "a.example", start: Date(timeIntervalSince1970: 1_577_836_800),
            end: Date(timeIntervalSince1970: 1_577_923_200))
        let outcome = try skan(["serve", "--store", "s.sqlite"] + Self.arguments.prefix(4))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("the certificate in tls.pem expired at 2020-01-02T00:00:00Z"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("s.sqlite")))
    }

    @Test("A certificate that is not valid yet, or whose intermediate one has ended, is refused wherever it is read")
    func notValid() throws {
        for (message, make) in [
            ("the certificate in tls.pem is not valid before 2101-01-01T00:00:00Z", makeLater),
            (
                "certificate 2 in tls.pem, an intermediate one, expired at 2020-01-02T00:00:00Z",
                makeChainWithExpiredIntermediate
            ),
        ] {
            try make()
            for command in [["serve"], ["serve", "--check"], ["doctor"]] {
                let addresses = ["--listen", "127.0.0.1:0", "--console", "127.0.0.1:0"]
                let outcome = try skan(
                    command + (command == ["doctor"] ? [] : addresses + ["--store", "s.sqlite"])
                        + Self.arguments.prefix(4))
                #expect(outcome.status == (command == ["doctor"] ? 1 : 2), "\(outcome)")
                #expect((outcome.output + outcome.errors).contains(message), "\(outcome)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("s.sqlite")))
    }

    private func makeLater() throws {
        try folder.makeCertificate("later.example", start: Self.later, end: Self.later.addingTimeInterval(86_400))
    }

    @Test("A server that was started without signing keys stays without")
    func without() async throws {
        let token = try token("a", "sign")
        let server = try SkanServer(in: folder, arguments: ["--tokens", "tokens.json"])
        kill(server.process.processIdentifier, SIGHUP)
        #expect(try server.waitForLog("tokens read again count=1"))
        let ad = """
            {"ad-network-id": "first.skadnetwork", "itunes-item-id": 1, "source-identifier": 1, \
            "attribution-destination": "https://ads.example"}
            """
        let answer = try await ConsoleClient(url: server.console, token: token).post("/v1/web-ads", json: ad)
        #expect(answer.status == 503)
        #expect(server.end(SIGTERM).status == 0)
    }
}
