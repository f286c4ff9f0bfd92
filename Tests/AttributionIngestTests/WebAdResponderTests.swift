import Attribution
import AttributionIngest
import AttributionSigning
import AttributionStore
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@Suite("Answering taps on web ads")
struct WebAdResponderTests {
    /// A ledger that knows the ads of all nonces, and notes its groups.
    private final class FakeLedger: WebAdLedger {
        let groups = Mutex<[Int]>([])

        func issue(_ ads: [WebAd], at now: UnixMilliseconds) async throws {}

        func answer(_ taps: [ReceivedTap], signing sign: TapGroup.Sign) throws -> [TapAnswer] {
            groups.withLock { $0.append(taps.count) }
            let content = try WebAdContent(adNetworkID: "n.skadnetwork", itunesItemID: 1, sourceIdentifier: 1)
            var group = TapGroup(taps) { _ in .usable(content) }
            group.sign(with: sign)
            return group.answers
        }
    }

    private final class SignatureCount: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock {
                $0 += 1
                return $0
            }
        }
    }

    /// The outcomes of taps, each with a nonce of its own, in one run.
    private func outcomes(
        of nonces: [Nonce], _ responder: WebAdResponder
    ) async throws -> [WebAdOutcome] {
        let outcomes = Mutex<[WebAdOutcome]>([])
        for nonce in nonces {
            let body = """
                {"source_engagement_type":"click_to_App_Store","source_domain":"example.com","version":"4.0",\
                "source_nonce":"\(nonce.base64URL)"}
                """
            responder.submit(Array(body.utf8), receivedAt: Self.noon) { outcome in
                outcomes.withLock { $0.append(outcome) }
            }
        }
        responder.close()
        try await responder.run()
        return outcomes.withLock { $0 }
    }

    private static let noon = UnixMilliseconds(rawValue: 1_795_262_400_000)
    private static let body = Array(
        #"{"source_engagement_type":"click_to_App_Store","source_domain":"example.com","source_nonce":"t8naKxXHTzuTJhNfljADPQ","version":"4.0"}"#
            .utf8)

    /// A signer with a key in a file, or one whose private half another process has.
    private func signer(external key: NetworkPrivateKey? = nil) throws -> NetworkSigner {
        let folder = NSTemporaryDirectory() + "skan-responder-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pem = try key?.publicKey().pem() ?? NetworkPrivateKey.generate(.p256).pem()
        try KeyFile.writeNew(pem, to: folder + "/key.pem")
        let external = key == nil ? "" : #", "signer": "unix:s", "key-id": "k""#
        let list = """
            {"keys": [{"ad-network-id": "n.skadnetwork", "file": "key.pem", "versions": "4.0", "use": "active"\(external)}]}
            """
        try Data(list.utf8).write(to: URL(fileURLWithPath: folder + "/keys.json"))
        return try NetworkSigner(try NetworkKeySet(file: folder + "/keys.json"))
    }

    @Test("Taps beyond the queue's limit are refused immediately, and every tap is answered")
    func bound() async throws {
        let ledger = FakeLedger()
        let responder = WebAdResponder(
            ledger: ledger, signer: CurrentSigner(try signer()), limits: BatchLimits(queued: 8, batch: 5),
            logger: .silent)
        let codes = Mutex<[String]>([])
        // Not running yet: eight wait, and the others are refused before this returns.
        for _ in 0..<20 {
            responder.submit(Self.body, receivedAt: Self.noon) { outcome in
                codes.withLock { $0.append(outcome.label) }
            }
        }
        #expect(codes.withLock { $0 } == Array(repeating: "overloaded", count: 12))
        responder.submit(Array("{}".utf8), receivedAt: Self.noon) { outcome in
            codes.withLock { $0.append(outcome.label) }
        }
        #expect(codes.withLock { $0.last } == "malformed")
        responder.close()
        try await responder.run()
        // This ledger forgets: a nonce is answered once in each group.
        #expect(ledger.groups.withLock { $0 } == [5, 3])
        let signed = codes.withLock { $0.suffix(8) }
        #expect(signed.count { $0 == "signed" } == 2 && signed.count { $0 == "nonce-used" } == 6)
        responder.submit(Self.body, receivedAt: Self.noon) { outcome in
            codes.withLock { $0.append(outcome.label) }
        }
        #expect(codes.withLock { $0.last } == "overloaded")
        #expect(codes.withLock { $0.count } == 22)
    }

    @Test("A signature that does not verify does not leave, and refuses no other tap of its group")
    func fault() async throws {
        var generator = SystemRandomNumberGenerator()
        let nonces = (0..<20).map { _ in Nonce(using: &generator) }
        let signatures = SignatureCount()
        let responder = WebAdResponder(
            ledger: FakeLedger(), signer: CurrentSigner(try signer()),
            // Every second signature is over another digest.
            signDigest: { key, digest in
                try key.signature(digest: signatures.next().isMultiple(of: 2) ? digest.reversed() : digest)
            }, logger: .silent)
        let outcomes = try await outcomes(of: nonces, responder)
        #expect(outcomes.map(\.label) == (0..<20).map { $0.isMultiple(of: 2) ? "signed" : "store-failed" })
    }

    static let external: [(ExternalSignerError?, String)] = [
        (nil, "signed"), (.away(socket: "s", reason: "gone"), "signer-unavailable"),
        (.late(socket: "s"), "signer-unavailable"), (.wrongSignature(key: "k"), "store-failed"),
    ]

    @Test(
        "With the key of an external signer a tap is signed once it has answered, or its nonce stays unused",
        arguments: external)
    func externalSigner(_ error: ExternalSignerError?, _ label: String) async throws {
        var generator = SystemRandomNumberGenerator()
        let nonces = (0..<20).map { _ in Nonce(using: &generator) }
        let key = try NetworkPrivateKey.generate(.p256)
        let asked = SignatureCount()
        let answered = Mutex<[String]>([])
        let responder = WebAdResponder(
            ledger: FakeLedger(), signer: CurrentSigner(try signer(external: key)),
            requestSignatures: { requests, answer in
                _ = asked.next()
                answer(
                    requests.reduce(into: [:]) { answers, request in
                        answers[request] = Result { try key.signature(digest: request.digest) }
                            .mapError { _ in .late(socket: "s") }.flatMap { made in
                                error.map { .failure($0) } ?? .success(made)
                            }
                    })
            }, logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await responder.run() }
            for nonce in nonces {
                let body = """
                    {"source_engagement_type":"click_to_App_Store","source_domain":"example.com","version":"4.0",\
                    "source_nonce":"\(nonce.base64URL)"}
                    """
                let outcome = await withCheckedContinuation { continuation in
                    responder.submit(Array(body.utf8), receivedAt: Self.noon) { continuation.resume(returning: $0) }
                }
                answered.withLock { $0.append(outcome.label) }
            }
            responder.close()
            try await group.waitForAll()
        }
        #expect(answered.withLock { $0 } == Array(repeating: label, count: 20))
        #expect(asked.next() == 21, "each once")
    }
}
