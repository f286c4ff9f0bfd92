import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("An external signer over a PKCS#11 token, as processes", .timeLimit(.minutes(3)))
struct ExternalSignerTests: Sendable {
    private let folder: WorkFolder
    private let token: SoftToken

    /// Two networks: `own.skadnetwork` with a key in a file, and `far.skadnetwork` with one of the token.
    init() throws {
        folder = try WorkFolder()
        token = try SoftToken(in: folder)
        _ = try SkanProcess.run(["keys", "generate", "own.pem"], in: folder.url)
        let own = try SkanProcess.run(["keys", "public", "own.pem"], in: folder.url)
        try Data(own.output.utf8).write(to: folder.url.appendingPathComponent("own.public.pem"))
        let list = """
            {"keys": [{"ad-network-id": "own.skadnetwork", "file": "own.pem", "versions": "2.1-4.0", "use": "active"},
                      {"ad-network-id": "far.skadnetwork", "file": "far.public.pem", "versions": "2.1-4.0",
                       "use": "active", "signer": "unix:signer.sock", "key-id": "k"}]}
            """
        try Data(list.utf8).write(to: folder.url.appendingPathComponent("keys.json"))
    }

    private func server() throws -> SkanServer {
        try SkanServer(in: folder, store: nil, arguments: SkanServer.signing)
    }

    private func get(_ path: String, _ console: String) throws -> String {
        try SkanProcess.run(
            SkanProcess.curl, ["-s", "--max-time", "60", console + path], in: folder.url
        ).output
    }

    /// Waits until the server has noticed that the signer came or went.
    private func wait(_ console: String, until isUp: Bool) throws {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            let metrics = try get("/metrics", console)
            if metrics.contains("skan_external_signer_up{signer=\"\(folder.path("signer.sock"))\"} \(isUp ? 1 : 0)") {
                return
            }
            usleep(20_000)
        }
        Issue.record("the server did not notice that the signer \(isUp ? "came" : "went")")
    }

    // MARK: Requests and what is right about their answers

    private static func order(_ network: String, _ item: Int) -> String {
        """
        {"forms": ["storekit-rendered", "view-through", "adattributionkit"], "versions": ["4.0"], \
        "ad-network-id": "\(network).skadnetwork", "itunes-item-id": \(item), "source-app-id": 2, "source-identifier": 39}
        """
    }

    /// Whether an answer has three signatures that libcrypto verifies over texts put together here.
    private static func isRight(_ answer: String, _ network: String, _ item: Int, _ key: LibcryptoKey) throws -> Bool {
        let object = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
        let impressions = object?["impressions"] as? [[String: Any]] ?? []
        let verified = impressions.count { one in
            if let jws = one["compact-jws"] as? String { return key.verifies(jws: jws) }
            guard let values = one["impression"] as? [String: Any], let nonce = values["nonce"] as? String,
                let fidelity = values["fidelity-type"] as? Int, let timestamp = values["timestamp"] as? Int64,
                let signature = (values["attribution-signature"] as? String).flatMap(LibcryptoKey.bytes(ofBase64:))
            else { return false }
            let text = ["4.0", "\(network).skadnetwork", "39", "\(item)", nonce, "2", "\(fidelity)", "\(timestamp)"]
            return key.verifies(signature, over: Array(text.joined(separator: "\u{2063}").utf8))
        }
        return impressions.count == 3 && verified == 3
    }

    /// What a client was answered.
    private struct Answered: Sendable {
        var right = 0
        /// Refusals by status and reason.
        var refused: [String: Int] = [:]
        var wrong: [String] = []
        /// How many took as long as a signer that hangs may hold up its own requests, or nearly.
        var slow = 0
        var slowest = Duration.zero
    }

    /// Sends orders over one connection until it is told to stop.
    private static func client(
        _ network: String, port: Int, publicKey: String, _ progress: Progress
    ) throws -> Answered {
        let key = try LibcryptoKey(pem: publicKey)
        let connection = try RawClient(port: port)
        var answered = Answered()
        var item = 0
        while !progress.isOver {
            item += 1
            let body = order(network, item)
            let began = ContinuousClock.now
            connection.send(
                """
                POST /v1/impressions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
                Content-Length: \(body.utf8.count)\r\n\r\n\(body)
                """)
            let answer = try connection.answer()
            let time = ContinuousClock.now - began
            answered.slowest = max(answered.slowest, time)
            if time > .milliseconds(400) { answered.slow += 1 }
            if answer.status != 200 {
                #expect(answer.fields["retry-after"] == "1")
                #expect(!answer.body.contains("signature\"") && !answer.body.contains("jws"))
                progress.note(network, isRight: false)
                answered.refused["\(answer.status) \(answer.reason ?? "")", default: 0] += 1
                // As a bidder would, it does not ask again at once.
                usleep(1_000)
            } else if try isRight(answer.body, network, item, key) {
                progress.note(network, isRight: true)
                answered.right += 1
            } else {
                answered.wrong.append(answer.body)
            }
        }
        return answered
    }

    // MARK: Tests

    @Test("openssl verifies what the token signed; the commands say whether it signs, and sign with it, too")
    func signs() throws {
        try token.serve()
        let server = try server()
        try wait(server.console, until: true)
        let answer = try SkanProcess.run(
            SkanProcess.curl,
            [
                "-s", "--max-time", "60", "-H", "Content-Type: application/json", "--data", Self.order("far", 7),
                "\(server.signer)/v1/impressions",
            ], in: folder.url
        ).output
        let pem = try String(contentsOfFile: folder.path("far.public.pem"), encoding: .utf8)
        #expect(try Self.isRight(answer, "far", 7, LibcryptoKey(pem: pem)), "\(answer)")
        #expect(try get("/readyz", server.console) == "ready\n")
        #expect(
            try get("/metrics", server.console).contains(
                /skan_external_signatures_total\{key="[0-9a-f]{16}",outcome="signed"\} 3/))
        // An answer of the command is verified by the openssl command.
        let signed = try SkanProcess.run(
            [
                "sign", "--version", "4.0", "--network", "far.skadnetwork", "--source-identifier", "39",
                "--advertised-app", "7", "--source-app", "2", "--fidelity", "1", "--keys", "keys.json",
            ], in: folder.url)
        #expect(signed.status == 0, "\(signed.errors)")
        let values = try #require(
            JSONSerialization.jsonObject(with: Data(signed.output.utf8)) as? [String: Any])
        let (nonce, timestamp) = (try #require(values["nonce"] as? String), try #require(values["timestamp"] as? Int64))
        let text = ["4.0", "far.skadnetwork", "39", "7", nonce, "2", "1", "\(timestamp)"].joined(separator: "\u{2063}")
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("text"))
        try #require((values["attribution-signature"] as? String).flatMap { Data(base64Encoded: $0) })
            .write(to: folder.url.appendingPathComponent("signature"))
        let verified = try SkanProcess.run(
            SkanProcess.openssl,
            ["dgst", "-sha256", "-verify", "far.public.pem", "-signature", "signature", "text"], in: folder.url)
        #expect(verified.output == "Verified OK\n")
        let orders = (1...200).map { Self.order($0.isMultiple(of: 2) ? "far" : "own", $0) }.joined(separator: "\n")
        let batch = try SkanProcess.run(["sign", "--batch", "-", "--keys", "keys.json"], in: folder.url, input: orders)
        #expect(batch.status == 0, "\(batch.errors)")
        let key = try LibcryptoKey(pem: pem)
        for (index, line) in batch.output.split(separator: "\n").enumerated() where !index.isMultiple(of: 2) {
            #expect(try Self.isRight(String(line), "far", index + 1, key))
        }
        let doctor = try SkanProcess.run(["doctor", "--keys", "keys.json"], in: folder.url)
        #expect(doctor.output.contains("signs as k"), "\(doctor.output)")
        token.stop()
        try wait(server.console, until: false)
        #expect(try get("/readyz", server.console) == "ready\n1 of 1 external signers is away\n")
        let ill = try SkanProcess.run(["doctor", "--keys", "keys.json"], in: folder.url)
        #expect(ill.status == 1 && ill.output.contains("start the signer"), "\(ill.output)")
        let check = try SkanProcess.run(
            [
                "serve", "--check", "--console", "127.0.0.1:0", "--signing", "127.0.0.1:0", "--signing-keys",
                "keys.json",
            ],
            in: folder.url)
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.output.contains("requests for its networks are refused"), "\(check.output)")
        let refused = try SkanProcess.run(
            ["sign", "--batch", "-", "--keys", "keys.json"], in: folder.url, input: Self.order("far", 1))
        #expect(refused.status == 1 && refused.output.contains("signer-unavailable"), "\(refused.output)")
    }

    @Test(
        "The signer is killed, or hangs, under load: no wrong signature, clear refusals, the other network unaffected",
        arguments: [SIGKILL, SIGSTOP])
    func stopped(_ signal: Int32) async throws {
        try token.serve()
        let server = try server()
        try wait(server.console, until: true)
        let (port, console) = (server.signingPort, server.console)
        let pems = try ["own", "far"].map { name in
            try String(contentsOfFile: folder.path("\(name).public.pem"), encoding: .utf8)
        }
        let progress = Progress()
        let answered = try await withThrowingTaskGroup(of: (network: String, answered: Answered).self) { group in
            for (network, pem) in [("own", pems[0]), ("far", pems[1]), ("far", pems[1])] {
                group.addTask {
                    let answered = try await blocking {
                        try Self.client(network, port: port, publicKey: pem, progress)
                    }
                    return (network, answered)
                }
            }
            do {
                defer { progress.end() }
                // Not on a thread of the pool, on which the clients have to begin.
                try await blocking { [self] in
                    progress.wait(for: 50, of: "far", areRight: true)
                    progress.wait(for: 50, of: "own", areRight: true)
                    token.send(signal)
                    try wait(console, until: false)
                    progress.wait(for: 20, of: "far", areRight: false)
                    progress.wait(for: 50, of: "own", areRight: true)
                    token.stop()
                    try token.serve()
                    try wait(console, until: true)
                    progress.wait(for: 20, of: "far", areRight: true)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let own = answered.filter { $0.network == "own" }.map(\.answered)
        let far = answered.filter { $0.network == "far" }.map(\.answered)
        #expect((own + far).flatMap(\.wrong) == [])
        #expect(own.allSatisfy { $0.right > 100 && $0.refused.isEmpty }, "\(own)")
        // A request of the other network waits for nothing, though the signer hangs for half a second: fifty would.
        #expect(own.allSatisfy { $0.slow <= 10 }, "\(own.map(\.slow))")
        #expect(far.count == 2)
        for one in far {
            #expect(one.right > 0)
            #expect(Array(one.refused.keys) == ["503 signer-unavailable"], "\(one.refused)")
            #expect(one.slowest < .seconds(5), "\(one.slowest)")
        }
        #expect(server.end(SIGTERM).status == 0)
    }

    /// What clients have been answered so far, and whether they are to stop.
    private final class Progress: Sendable {
        private struct State {
            var isOver = false
            var right: [String: Int] = [:]
            var refused: [String: Int] = [:]
        }

        private let state = Mutex(State())

        var isOver: Bool {
            state.withLock { $0.isOver }
        }

        func end() {
            state.withLock { $0.isOver = true }
        }

        func note(_ network: String, isRight: Bool) {
            state.withLock { state in
                if isRight {
                    state.right[network, default: 0] += 1
                } else {
                    state.refused[network, default: 0] += 1
                }
            }
        }

        /// Waits for so many more right answers, or refusals, of a network.
        func wait(for count: Int, of network: String, areRight: Bool) {
            func current() -> Int {
                state.withLock { (areRight ? $0.right : $0.refused)[network] ?? 0 }
            }
            let (start, end) = (current(), ContinuousClock.now + .seconds(20))
            while current() < start + count {
                guard ContinuousClock.now < end else {
                    Issue.record("\(network): \(count) \(areRight ? "answers" : "refusals") did not come")
                    return
                }
                usleep(1_000)
            }
        }
    }
}
