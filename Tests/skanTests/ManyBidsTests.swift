import Foundation
import TestSupport
import Testing

@Suite("Ten thousand bids", .timeLimit(.minutes(5)))
struct ManyBidsTests {
    /// What a client has found.
    private struct Found: Sendable {
        /// Verified signatures by the number of the key on P-256; nil for the one on P-192.
        var signatures: [Int?: Int] = [:]
        var nonces: [String] = []
        var refused = 0
        var faults: [String] = []
        /// The number of the key that verified the last signature.
        var lastKey = 0
    }

    /// How many keys on P-256 follow each other.
    private static let keys = 6
    private static let clients = 4
    private static let bids = 10_000

    /// The list with one of the keys active.
    private static func list(_ active: Int) -> String {
        let entries = (0..<keys).map { number in
            """
            {"ad-network-id": "example123.skadnetwork", "file": "new-\(number).pem", "versions": "2.1-4.0",
             "use": "\(number == active ? "active" : "verify-only")"}
            """
        }
        let old =
            #"{"ad-network-id": "example123.skadnetwork", "file": "old.pem", "versions": "1.0-2.0", "use": "active"}"#
        return #"{"keys": [\#(([old] + entries).joined(separator: ",\n"))]}"#
    }

    @Test("libcrypto verifies every signature over a text put together here, while keys are rotated under load")
    func bids() async throws {
        let folder = try WorkFolder()
        try folder.makeSigningKeys()
        for number in 0..<Self.keys {
            _ = try SkanProcess.run(["keys", "generate", "new-\(number).pem"], in: folder.url)
        }
        let names = ["old"] + (0..<Self.keys).map { "new-\($0)" }
        let pems = try names.map { name in
            try SkanProcess.run(SkanProcess.openssl, ["pkey", "-in", "\(name).pem", "-pubout"], in: folder.url).output
        }
        let keyList = folder.url.appendingPathComponent("keys.json")
        try Data(Self.list(0).utf8).write(to: keyList, options: .atomic)
        let server = try SkanServer(
            in: folder, store: nil,
            arguments: ["--signing", "127.0.0.1:0", "--signing-keys", "keys.json", "--sign-rate", "1000000"])
        let (port, process) = (server.signingPort, server.process.processIdentifier)
        let began = ContinuousClock.now
        let found = try await withThrowingTaskGroup(of: Found.self) { group in
            for client in 0..<Self.clients {
                group.addTask {
                    try await blocking {
                        try Self.run(client, port: port, pems: pems) { number in
                            // One client in four rotates, each time it has made a share of its requests.
                            guard client == 0 else { return }
                            try Data(Self.list(number).utf8).write(to: keyList, options: .atomic)
                            kill(process, SIGHUP)
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        print("10,000 bids in \(ContinuousClock.now - began)")
        let faults = found.flatMap(\.faults)
        #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(3))")
        let nonces = found.flatMap(\.nonces)
        #expect(Set(nonces).count == nonces.count, "no nonce was signed twice")
        var signatures: [Int?: Int] = [:]
        for one in found { signatures.merge(one.signatures) { $0 + $1 } }
        #expect(signatures.values.reduce(0, +) > 25_000, "\(signatures)")
        #expect(found.reduce(0) { $0 + $1.refused } > 300)
        // The last list may come after the last request.
        #expect((0..<Self.keys - 1).allSatisfy { signatures[$0] ?? 0 > 0 }, "each key has signed: \(signatures)")
        try compare(signatures, folder, server)
        #expect(server.end(SIGTERM).status == 0)
    }

    /// The server's metrics must name for each key as many signatures as verify with it.
    private func compare(_ signatures: [Int?: Int], _ folder: WorkFolder, _ server: SkanServer) throws {
        let metrics = try SkanProcess.run(
            SkanProcess.curl, ["-s", "--max-time", "60", "\(server.console)/metrics"], in: folder.url
        ).output
        for (number, count) in signatures {
            let file = number.map { "new-\($0).pem" } ?? "old.pem"
            let fingerprint = try SkanProcess.run(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "openssl pkey -in \(file) -pubout -outform DER | openssl dgst -sha256 -r"], in: folder.url
            ).output.prefix(16)
            #expect(
                metrics.contains(
                    "skan_signatures_total{network=\"example123.skadnetwork\",key=\"\(fingerprint)\"} \(count)\n"),
                "\(file): \(count)")
        }
    }

    // MARK: A client

    /// Sends a share of the requests over one connection, and verifies every answer.
    private static func run(
        _ client: Int, port: Int, pems: [String], rotate: (Int) throws -> Void
    ) throws -> Found {
        let keys = try pems.map { try LibcryptoKey(pem: $0) }
        let connection = try RawClient(port: port)
        var random = SeededGenerator(seed: 20_261_123 + UInt64(client))
        var found = Found()
        let share = bids / clients
        for number in 0..<share {
            if number > 0, number.isMultiple(of: share / Self.keys), number / (share / Self.keys) < Self.keys {
                try rotate(number / (share / Self.keys))
            }
            let bid = GeneratedBid(using: &random)
            connection.send(
                """
                POST /v1/openrtb/skadn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
                Content-Length: \(bid.body.utf8.count)\r\n\r\n\(bid.body)
                """)
            let answer = try connection.answer()
            do {
                try check(answer, bid, keys, &found)
            } catch {
                found.faults.append("\(error): \(bid.body): \(answer.status) \(answer.body)")
            }
        }
        return found
    }

    private struct Fault: Error {
        let what: String

        init(_ what: String) {
            self.what = what
        }
    }

    private static func check(
        _ answer: RawAnswer, _ bid: GeneratedBid, _ keys: [LibcryptoKey], _ found: inout Found
    ) throws {
        let object = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any] ?? [:]
        let bids = object["bids"] as? [[String: Any]] ?? []
        guard bids.map({ $0["impid"] as? String }) == bid.imps.map(\.id) else { throw Fault("the imps") }
        // The keys that verify the signatures on P-256: all of one request are made with one list.
        var used: Set<Int> = []
        var (signed, refused) = (0, 0)
        for (imp, answered) in zip(bid.imps, bids) {
            let ext = answered["ext"] as? [String: [String: Any]] ?? [:]
            let refusals = answered["refusals"] as? [[String: Any]] ?? []
            for (name, expected) in imp.expected {
                if case .refused(let reason) = expected {
                    let refusal = refusals.first { $0["extension"] as? String == name }
                    guard ext[name] == nil, refusal?["reason"] as? String == reason else { throw Fault("a refusal") }
                    refused += 1
                    continue
                }
                guard let values = ext[name] else { throw Fault("nothing signed for \(name)") }
                for number in try verify(values, expected, bid, keys, &found) {
                    found.signatures[number, default: 0] += 1
                    if let number { used.insert(number) }
                }
                signed += 1
            }
        }
        guard used.count <= 1 else { throw Fault("two keys in one answer") }
        guard answer.status == (signed == 0 ? 422 : refused == 0 ? 200 : 207) else { throw Fault("the status") }
        found.refused += refused
    }

    /// The number of the key of each signature of an extension, which must verify; nil for P-192.
    private static func verify(
        _ values: [String: Any], _ expected: GeneratedBid.Expected, _ bid: GeneratedBid, _ keys: [LibcryptoKey],
        _ found: inout Found
    ) throws -> [Int?] {
        switch expected {
        case .refused: return []
        case .adAttributionKit(let network, let source, let isEligible):
            guard let jws = values["jwt"] as? String else { throw Fault("no jwt") }
            let parts = try jws.split(separator: ".").prefix(2).map { part in
                try JSONSerialization.jsonObject(with: Data(LibcryptoKey.base64URL(String(part)) ?? []))
                    as? NSDictionary
            }
            guard parts.count == 2, let nonce = parts[1]?["impression-identifier"] as? String,
                let timestamp = parts[1]?["timestamp"] as? Int64
            else { throw Fault("the payload") }
            var payload: [String: Any] = [
                "impression-identifier": nonce, "timestamp": timestamp, "impression-type": "app-impression",
                "publisher-item-identifier": bid.sourceApp, "advertised-item-identifier": bid.item,
                "ad-network-identifier": network, "source-identifier": source,
            ]
            if isEligible { payload["eligible-for-re-engagement"] = true }
            guard parts[0] == ["alg": "ES256", "kid": network] as NSDictionary, parts[1] == payload as NSDictionary
            else {
                throw Fault("what the jwt says")
            }
            found.nonces.append(nonce)
            return [try numberOfKey(keys, &found) { $0.verifies(jws: jws) }]
        case .skadn(let version, let network, let number, let fidelities):
            let signed = fidelities == nil ? [values] : values["fidelities"] as? [[String: Any]] ?? []
            guard signed.map({ $0["fidelity"] as? Int }) == fidelities?.map({ $0 }) ?? [nil] else {
                throw Fault("the fidelities")
            }
            guard values["version"] as? String == version, values["network"] as? String == network,
                values["itunesitem"] as? String == "\(bid.item)", values["sourceapp"] as? String == "\(bid.sourceApp)",
                values[version == "4.0" ? "sourceidentifier" : "campaign"] as? String == "\(number)"
            else { throw Fault("the values") }
            return try signed.map { one in
                guard let nonce = one["nonce"] as? String, let timestamp = one["timestamp"] as? String,
                    let signature = (one["signature"] as? String).flatMap(LibcryptoKey.bytes(ofBase64:))
                else { throw Fault("no signature") }
                found.nonces.append(nonce)
                let fidelity = (one["fidelity"] as? Int).map { ["\($0)"] } ?? []
                let text =
                    [version, network, "\(number)", "\(bid.item)", nonce, "\(bid.sourceApp)"] + fidelity + [timestamp]
                let message = Array(text.joined(separator: "\u{2063}").utf8)
                guard version != "2.0" else {
                    guard keys[0].verifies(signature, over: message) else { throw Fault("a signature on P-192") }
                    return nil
                }
                return try numberOfKey(keys, &found) { $0.verifies(signature, over: message) }
            }
        }
    }

    /// The number of the key that verifies a signature, mostly that of the one before.
    private static func numberOfKey(
        _ keys: [LibcryptoKey], _ found: inout Found, _ verifies: (LibcryptoKey) -> Bool
    ) throws -> Int {
        for number in [found.lastKey] + (0..<Self.keys) where verifies(keys[number + 1]) {
            found.lastKey = number
            return number
        }
        throw Fault("a signature that no key verifies")
    }
}
