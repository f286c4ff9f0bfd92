import Attribution
import AttributionConsole
import AttributionListener
import AttributionServer
import AttributionSigning
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@Suite("Signing with keys of external signers", .timeLimit(.minutes(2)))
struct ExternalSigningServiceTests {
    /// Two networks: `own.skadnetwork` with a key in a file, and `far.skadnetwork` with one of a signer.
    private struct Networks {
        let signer: NetworkSigner
        let own: SignaturePublicKey
        let far: SignaturePublicKey
        let farKey: NetworkPrivateKey

        init() throws {
            let folder = NSTemporaryDirectory() + "skan-external-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let ownKey = try NetworkPrivateKey.generate(.p256)
            farKey = try .generate(.p256)
            (own, far) = (try ownKey.publicKey(), try farKey.publicKey())
            try KeyFile.writeNew(try ownKey.pem(), to: folder + "/own.pem")
            try Data(try far.pem().utf8).write(to: URL(fileURLWithPath: folder + "/far.pem"))
            let list = """
                {"keys": [{"ad-network-id": "own.skadnetwork", "file": "own.pem", "versions": "2.1-4.0",
                           "use": "active"},
                          {"ad-network-id": "far.skadnetwork", "file": "far.pem", "versions": "2.1-4.0",
                           "use": "active", "signer": "unix:s.sock", "key-id": "k"}]}
                """
            try Data(list.utf8).write(to: URL(fileURLWithPath: folder + "/keys.json"))
            var signer = try NetworkSigner(try NetworkKeySet(file: folder + "/keys.json"))
            try signer.prepareTables()
            self.signer = signer
        }
    }

    /// Answers requests for signatures when and as a test wants.
    private final class Signer: Sendable {
        typealias Answer = @Sendable (ExternalSignatures) -> Void

        private let pending = Mutex<[(requests: [SignatureRequest], answer: Answer)]>([])

        func request(_ requests: [SignatureRequest], _ answer: @escaping Answer) {
            pending.withLock { $0.append((requests, answer)) }
        }

        /// Answers all requests, of which there must be so many.
        func answer(_ count: Int, _ sign: (SignatureRequest) throws -> Result<[UInt8], ExternalSignerError>) throws {
            let all = pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
            #expect(all.count == count)
            for (requests, answer) in all {
                answer(try requests.reduce(into: [:]) { $0[$1] = try sign($1) })
            }
        }
    }

    private static func order(_ network: String, _ forms: Int = 3) -> String {
        let names = ["storekit-rendered", "view-through", "adattributionkit"].prefix(forms).map { "\"\($0)\"" }
        return """
            {"forms": [\(names.joined(separator: ", "))], "versions": ["4.0"], "ad-network-id": "\(network).skadnetwork", \
            "itunes-item-id": 1, "source-app-id": 2, "source-identifier": 39}
            """
    }

    private static func request(_ body: String, _ path: String = "/v1/impressions") throws -> IngressRequest {
        let route = try #require(SigningService.routes.routes.first { $0.path == path })
        var fields = HeaderFields()
        fields.append("host", "localhost")
        return IngressRequest(
            route: route, fields: fields, body: Array(body.utf8),
            receivedAt: Date(timeIntervalSince1970: 1_795_262_400), client: "192.0.2.1")
    }

    private static func text(_ answer: IngressAnswer) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    /// A service on one event loop, and what it has answered, in the order of the answers.
    private final class Running: Sendable {
        let metrics = PrometheusMetrics()
        private let turns = ManualTurns()
        private let handler: IngressHandler.Callback
        private let answered = Mutex<[(name: String, answer: IngressAnswer)]>([])

        init(_ networks: Networks, _ signer: Signer) {
            let service = SigningService(
                signer: CurrentSigner(networks.signer), access: nil, requestSignatures: { signer.request($0, $1) },
                logger: .silent, metricsFactory: metrics)
            handler = service.makeHandler(on: turns.turns)
        }

        func submit(_ name: String, _ request: IngressRequest) {
            handler(request) { answer in self.answered.withLock { $0.append((name, answer)) } }
        }

        /// Lets the event loop do what it has to do.
        func proceed() {
            turns.finish()
        }

        /// All answers until now.
        var answers: [(name: String, answer: IngressAnswer)] {
            turns.finish()
            return answered.withLock { $0 }
        }
    }

    @Test("Other networks are signed while a signer takes its time, and its own requests once it has answered")
    func asynchronous() throws {
        let networks = try Networks()
        let signer = Signer()
        let running = Running(networks, signer)
        for number in 0..<5 { running.submit("far \(number)", try Self.request(Self.order("far"))) }
        for number in 0..<50 { running.submit("own \(number)", try Self.request(Self.order("own"))) }
        let first = running.answers
        #expect(first.count == 50)
        #expect(first.allSatisfy { $0.name.hasPrefix("own") && $0.answer.status == 200 })
        try signer.answer(5) { request in
            #expect(request.key.id == "k")
            return .success(try networks.farKey.signature(digest: request.digest))
        }
        let all = running.answers
        #expect(all.count == 55)
        for (name, answer) in all {
            #expect(answer.status == 200)
            let key = name.hasPrefix("own") ? networks.own : networks.far
            #expect(try SigningKeys.verifiedCount(Self.text(answer), under: key) == 3, "\(name)")
        }
        #expect(running.metrics.text().contains("skan_signatures_total{network=\"far.skadnetwork\""))
    }

    static let faults: [(ExternalSignerError?, Int, String)] = [
        (.away(socket: "s", reason: "gone"), 503, "signer-unavailable"),
        (.late(socket: "s"), 503, "signer-unavailable"),
        (.busy(socket: "s"), 503, "signer-unavailable"),
        (.refused(key: "k", reason: "locked"), 503, "signer-unavailable"), (nil, 500, "signing-failed"),
    ]

    @Test(
        "A signer that is away, late or wrong: a coded refusal, no signature, and the next request is signed",
        arguments: faults, [1, 2, 3])
    func refused(_ fault: (error: ExternalSignerError?, status: Int, reason: String), _ faulty: Int) throws {
        let networks = try Networks()
        let signer = Signer()
        let running = Running(networks, signer)
        for attempt in 0..<2 {
            running.submit("far", try Self.request(Self.order("far")))
            running.proceed()
            let number = Mutex(0)
            try signer.answer(1) { request in
                let count = number.withLock { number in
                    number += 1
                    return number
                }
                guard attempt == 0, count == faulty else {
                    return .success(try networks.farKey.signature(digest: request.digest))
                }
                // Another digest: a signature that is not this request's.
                return try fault.error.map { .failure($0) }
                    ?? .success(networks.farKey.signature(digest: request.digest.reversed()))
            }
            running.proceed()
        }
        let answers = running.answers.map(\.answer)
        #expect(answers.map(\.status) == [fault.status, 200])
        let refused = Self.text(answers[0])
        #expect(refused.contains("\"reason\":\"\(fault.reason)\""), "\(refused)")
        #expect(!refused.contains("signature\"") && !refused.contains("jws"))
        #expect(answers[0].retryAfter == (fault.status == 503 ? .seconds(1) : nil))
    }

    @Test("Of a batch only the lines are refused whose key a signer holds that is away")
    func batch() throws {
        let networks = try Networks()
        let signer = Signer()
        let running = Running(networks, signer)
        let lines = (0..<70).map { Self.order($0.isMultiple(of: 5) ? "far" : "own", 1) }
        running.submit("batch", try Self.request(lines.joined(separator: "\n"), "/v1/impressions/batch"))
        // 32 orders at a time.
        for _ in 0..<3 {
            running.proceed()
            try signer.answer(1) { _ in .failure(.late(socket: "s")) }
        }
        let answer = try #require(running.answers.first).answer
        #expect(answer.status == 207)
        let answers = Self.text(answer).split(separator: "\n").map { String($0) }
        #expect(answers.count == 70)
        for (index, line) in answers.enumerated() {
            #expect(line.hasPrefix("{\"line\":\(index + 1),"))
            #expect(line.contains("signer-unavailable") == index.isMultiple(of: 5))
            #expect(try SigningKeys.verifiedCount(line, under: networks.own) == (index.isMultiple(of: 5) ? 0 : 1))
        }
    }
}
