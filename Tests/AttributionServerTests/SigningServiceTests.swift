import Attribution
import AttributionConsole
import AttributionListener
import AttributionServer
import AttributionSigning
import Foundation
import Logging
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("Signing many requests at a time", .timeLimit(.minutes(2)))
struct SigningServiceTests {
    static let order = """
        {"forms": ["storekit-rendered", "view-through", "adattributionkit"], "versions": ["4.0"], \
        "ad-network-id": "n.skadnetwork", "itunes-item-id": 1, "source-app-id": 2, "source-identifier": 39}
        """
    private static let bid = """
        {"skadn": {"versions": ["4.0"], "sourceapp": "2", "skadnetids": ["n.skadnetwork"]}, \
        "adattributionkit": {"version": "1.0", "sourceapp": "2", "skadnetids": ["n.skadnetwork"]}, \
        "advertise": {"itunesitem": 1, "sourceidentifier": 1}}
        """

    static func request(_ path: String, _ body: String, client: String = "192.0.2.1") throws -> IngressRequest {
        let route = try #require(SigningService.routes.routes.first { $0.path == path })
        var fields = HeaderFields()
        fields.append("host", "localhost")
        return IngressRequest(
            route: route, fields: fields, body: Array(body.utf8),
            receivedAt: Date(timeIntervalSince1970: 1_795_262_400), client: client)
    }

    /// The answers to requests, each sent after the one before it was answered.
    static func answers(_ service: SigningService, to requests: [IngressRequest]) -> [IngressAnswer] {
        let turns = ManualTurns()
        let handler = service.makeHandler(on: turns.turns)
        let answers = Mutex<[IngressAnswer]>([])
        for request in requests {
            handler(request) { answer in answers.withLock { $0.append(answer) } }
            turns.finish()
        }
        return answers.withLock { $0 }
    }

    private static func text(_ answer: IngressAnswer) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    // MARK: Faults

    private struct Broken: Error {}

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (inout [UInt8]) throws -> Void
    }

    static let faults = [
        Fault(testDescription: "the last bit flips") { $0[$0.count - 1] ^= 1 },
        Fault(testDescription: "a bit of r flips") { $0[10] ^= 0x20 },
        Fault(testDescription: "a length is wrong") { $0[1] ^= 1 },
        Fault(testDescription: "it is cut short") { $0.removeLast() },
        Fault(testDescription: "it is empty") { $0 = [] },
        Fault(testDescription: "it has more bytes") { $0.append(0) },
        Fault(testDescription: "the signer fails") { _ in throw Broken() },
    ]

    /// A service whose signer makes one fault, with its signature of this number.
    private static func faulty(
        _ keys: SigningKeys, _ fault: Fault, at number: Int, _ metrics: PrometheusMetrics, _ log: LinesOfLog
    ) -> SigningService {
        let made = Ordinal()
        return SigningService(
            signer: CurrentSigner(keys.signer), access: nil,
            signDigest: { key, digest in
                var signature = try key.signature(digest: digest)
                if made.next() == number { try fault.make(&signature) }
                return signature
            },
            logger: log.logger, metricsFactory: metrics)
    }

    @Test("Of a request with a faulty signature nothing leaves, and the next is answered", arguments: faults)
    func fault(_ fault: Fault) throws {
        let keys = try SigningKeys()
        for (path, body, count) in [("/v1/impressions", Self.order, 3), ("/v1/openrtb/skadn", Self.bid, 3)] {
            for number in 1...count {
                let (metrics, log) = (PrometheusMetrics(), LinesOfLog())
                let request = try Self.request(path, body)
                let service = Self.faulty(keys, fault, at: number, metrics, log)
                let answers = Self.answers(service, to: [request, request])
                #expect(answers.map(\.status) == [500, 200], "\(path) \(number)")
                let refused = Self.text(answers[0])
                #expect(refused.contains(#""reason":"signing-failed""#))
                #expect(!refused.contains("signature\"") && !refused.contains("jws") && !refused.contains("jwt"))
                let text = metrics.text()
                #expect(text.contains("\nskan_signing_faults_total 1\n"), "\(text)")
                #expect(text.contains("skan_signatures_total{network=\"n.skadnetwork\",key=\""))
                #expect(text.contains("\"} \(count)\n"), "\(text)")
                #expect(log.lines.contains { $0.hasPrefix("error signing failed") }, "\(log.lines)")
            }
        }
    }

    @Test("Of a batch only the line with a faulty signature is refused", arguments: faults)
    func faultInBatch(_ fault: Fault) throws {
        let keys = try SigningKeys()
        let metrics = PrometheusMetrics()
        let batch = Array(repeating: Self.order, count: 40).joined(separator: "\n")
        let service = Self.faulty(keys, fault, at: 100, metrics, LinesOfLog())
        let answer = try Self.answers(service, to: [Self.request("/v1/impressions/batch", batch)])[0]
        #expect(answer.status == 207)
        let lines = Self.text(answer).split(separator: "\n").map { String($0) }
        #expect(lines.count == 40)
        for (index, line) in lines.enumerated() {
            #expect(line.hasPrefix("{\"line\":\(index + 1),"))
            // The hundredth signature is the first of line 34.
            #expect(line.contains("signing-failed") == (index == 33))
            #expect(try keys.verifiedCount(line) == (index == 33 ? 0 : 3))
        }
    }

    // MARK: Keys

    @Test("A batch is signed with one key list, though another is used meanwhile")
    func oneList() throws {
        let (former, latter) = (try SigningKeys(), try SigningKeys())
        let current = CurrentSigner(former.signer)
        let made = Ordinal()
        let service = SigningService(
            signer: current, access: nil,
            signDigest: { key, digest in
                if made.next() == 20 { current.use(latter.signer) }
                return try key.signature(digest: digest)
            },
            logger: .silent, metricsFactory: PrometheusMetrics())
        let batch = Array(repeating: Self.order, count: 150).joined(separator: "\n")
        let answers = Self.answers(
            service,
            to: [try Self.request("/v1/impressions/batch", batch), try Self.request("/v1/impressions", Self.order)])
        #expect(answers.map(\.status) == [200, 200])
        for line in Self.text(answers[0]).split(separator: "\n") {
            #expect(try former.verifiedCount(String(line)) == 3)
        }
        #expect(try latter.verifiedCount(Self.text(answers[1])) == 3)
    }

    @Test("Signatures are counted for their network and key, though the lists have them in different orders")
    func countsOfTwoLists() throws {
        let networks = try ["a", "b"].map { (name: $0, key: try NetworkPrivateKey.generate(.p256)) }
        let current = CurrentSigner(try SigningKeys.signer(networks))
        let latter = try SigningKeys.signer(networks.reversed())
        #expect(latter.uses == current.signer.uses.reversed())
        let metrics = PrometheusMetrics()
        let service = SigningService(signer: current, access: nil, logger: .silent, metricsFactory: metrics)
        func order(_ network: String) -> String {
            Self.order.replacing("n.skadnetwork", with: "\(network).skadnetwork")
        }
        func counts(_ network: String) -> [Substring] {
            metrics.text().split(separator: "\n")
                .filter { $0.hasPrefix("skan_signatures_total{network=\"\(network).skadnetwork\",") }
                .compactMap { $0.split(separator: " ").last }
        }
        let turns = ManualTurns()
        let handler = service.makeHandler(on: turns.turns)
        let statuses = Mutex<[Int]>([])
        let note: @Sendable (IngressAnswer) -> Void = { answer in statuses.withLock { $0.append(answer.status) } }
        let batch = Array(repeating: order("a"), count: 100).joined(separator: "\n")
        handler(try Self.request("/v1/impressions/batch", batch), note)
        while counts("a").isEmpty { turns.step() }
        current.use(latter)
        handler(try Self.request("/v1/impressions", order("b")), note)
        turns.finish()
        #expect(statuses.withLock { $0 } == [200, 200])
        #expect(counts("a") == ["300"])
        #expect(counts("b") == ["3"])
    }

    @Test("When there is no room, a request is refused, and those that wait are answered")
    func bound() throws {
        let keys = try SigningKeys()
        let service = SigningService(
            signer: CurrentSigner(keys.signer), access: nil, queued: 8, logger: .silent,
            metricsFactory: PrometheusMetrics())
        let turns = ManualTurns()
        let handler = service.makeHandler(on: turns.turns)
        let answers = Mutex<[IngressAnswer]>([])
        // No turn has come yet, so that everything waits.
        for _ in 0..<20 {
            handler(try Self.request("/v1/impressions", Self.order)) { answer in
                answers.withLock { $0.append(answer) }
            }
        }
        #expect(answers.withLock { $0.map(\.status) } == Array(repeating: 503, count: 12))
        #expect(answers.withLock { $0.first?.retryAfter } == .seconds(1))
        #expect(service.queueDepth == 8)
        turns.finish()
        #expect(answers.withLock { $0.dropFirst(12).map(\.status) } == Array(repeating: 200, count: 8))
        #expect(service.queueDepth == 0)
    }

    @Test("A request that comes while a batch is signed does not wait for its end")
    func besideBatch() throws {
        let service = SigningService(
            signer: CurrentSigner(try SigningKeys().signer), access: nil, logger: .silent,
            metricsFactory: PrometheusMetrics())
        let turns = ManualTurns()
        let handler = service.makeHandler(on: turns.turns)
        let answered = Mutex<[String]>([])
        let batch = Array(repeating: Self.order, count: 150).joined(separator: "\n")
        for (path, body) in [("/v1/impressions/batch", batch), ("/v1/impressions", Self.order)] {
            handler(try Self.request(path, body)) { _ in answered.withLock { $0.append(path) } }
        }
        turns.finish()
        #expect(answered.withLock { $0 } == ["/v1/impressions", "/v1/impressions/batch"])
    }

    @Test("Without tokens a page of another host cannot have signatures, except at a socket", arguments: [false, true])
    func foreignHost(_ isSocket: Bool) throws {
        let keys = try SigningKeys()
        let service = SigningService(
            signer: CurrentSigner(keys.signer), access: nil, isSocket: isSocket, logger: .silent,
            metricsFactory: PrometheusMetrics())
        var foreign = HeaderFields()
        foreign.append("host", "rebound.example")
        let own = try Self.request("/v1/impressions", Self.order)
        let request = IngressRequest(
            route: own.route, fields: foreign, body: own.body, receivedAt: own.receivedAt, client: own.client)
        let answers = Self.answers(service, to: [request, own])
        #expect(answers.map(\.status) == [isSocket ? 200 : 403, 200])
    }
}

/// A number that several owners count up.
private final class Ordinal: Sendable {
    private let value = Mutex(0)

    /// The next number, from 1.
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// The turns of an event loop, which come when told.
final class ManualTurns: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    /// What a handler schedules its turns with.
    var turns: IngressSchedule {
        { _, work in self.waiting.withLock { $0.append(work) } }
    }

    /// Does what waits now.
    func step() {
        let works = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for work in works { work() }
    }

    /// Does all work, and what follows from it.
    func finish() {
        while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
    }
}
