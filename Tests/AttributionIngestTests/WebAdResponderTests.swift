import Attribution
import AttributionIngest
import AttributionSigning
import AttributionStore
import Foundation
import Logging
import Synchronization
import Testing

@Suite("Answering taps on web ads")
struct WebAdResponderTests {
    /// A ledger that answers when the test opens it, so that waiting taps can be counted.
    private final class HeldLedger: WebAdLedger {
        private let gate = AsyncStream<Void>.makeStream()

        func open() {
            gate.continuation.finish()
        }

        func issue(_ ads: [WebAd], at now: UnixMilliseconds) async throws {}

        func answer(
            _ tap: WebAdTap,
            at now: UnixMilliseconds,
            signing sign: @escaping @Sendable (SKAdNetworkImpression) throws -> SignedSKAdNetworkImpression
        ) async throws -> Result<SignedSKAdNetworkImpression, WebAdRefusal> {
            for await _ in gate.stream {}
            return .failure(.nonceUnknown)
        }
    }

    private static let noon = UnixMilliseconds(rawValue: 1_795_262_400_000)
    private static let body = Array(
        #"{"source_engagement_type":"click_to_App_Store","source_domain":"example.com","source_nonce":"t8naKxXHTzuTJhNfljADPQ","version":"4.0"}"#
            .utf8)

    private func signer() throws -> NetworkSigner {
        let folder = NSTemporaryDirectory() + "skan-responder-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try KeyFile.writeNew(try NetworkPrivateKey.generate(.p256).pem(), to: folder + "/key.pem")
        let list = """
            {"keys": [{"ad-network-id": "n.skadnetwork", "file": "key.pem", "versions": "4.0", "use": "active"}]}
            """
        try Data(list.utf8).write(to: URL(fileURLWithPath: folder + "/keys.json"))
        return try NetworkSigner(try NetworkKeySet(file: folder + "/keys.json"))
    }

    @Test("Taps beyond the queue's limit are refused immediately, and every tap is answered")
    func bound() async throws {
        let ledger = HeldLedger()
        let responder = WebAdResponder(
            ledger: ledger, signer: CurrentSigner(try signer()), queuedTaps: 8, logger: Logger(label: "test"))
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
        ledger.open()
        responder.close()
        try await responder.run()
        #expect(codes.withLock { $0.suffix(8) } == Array(repeating: "nonce-unknown", count: 8))
        responder.submit(Self.body, receivedAt: Self.noon) { outcome in
            codes.withLock { $0.append(outcome.label) }
        }
        #expect(codes.withLock { $0.last } == "overloaded")
        #expect(codes.withLock { $0.count } == 22)
    }
}
