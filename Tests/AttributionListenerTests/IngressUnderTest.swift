import AttributionListener
import Foundation
import Logging
import Metrics
import MetricsTestKit
import ServiceLifecycle
import Synchronization
import TestSupport

/// A listener on a free port, and what reached its handler.
final class IngressUnderTest: Sendable {
    /// When the handler answers.
    enum Manner {
        /// On the event loop, before it returns.
        case atOnce
        /// From another thread.
        case fromAnotherThread
        /// When the test says so.
        case whenTold
    }

    struct Held: Sendable {
        let request: IngressRequest
        let answer: @Sendable (IngressAnswer) -> Void
    }

    static let receivedAt = Date(timeIntervalSince1970: 1_700_000_000)

    private let requestList = Mutex<[IngressRequest]>([])
    private let arrivals: AsyncStream<Held>
    private let arrival: AsyncStream<Held>.Continuation
    private let group: Mutex<ServiceGroup?> = Mutex(nil)
    private let metrics = TestMetrics()
    let log = LinesOfLog()

    var requests: [IngressRequest] { requestList.withLock { $0 } }

    private init() {
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    /// Waits for the next request the handler holds, or the end of the listener; `whenTold` only.
    func nextHeld() async throws -> Held {
        for await held in arrivals { return held }
        throw CancellationError()
    }

    /// How many connections were cut off for a reason.
    func disconnects(_ reason: String) -> Int64 {
        count("skan_ingress_disconnects_total", [("reason", reason)])
    }

    /// The value of a counter.
    func count(_ label: String, _ dimensions: [(String, String)]) -> Int64 {
        metrics.counterTotal(label: label, dimensions: dimensions)
    }

    /// Begins the graceful stop.
    func stop() async {
        await group.withLock { $0 }?.triggerGracefulShutdown()
    }

    /// Runs a listener for the length of `body`.
    static func run<Result: Sendable>(
        limits: IngressLimits = IngressLimits(),
        manner: Manner = .atOnce,
        answerBody: String = #"{"status":"recorded"}"#,
        tls: IngressTLS? = nil,
        trustedProxies: TrustedProxies = .none,
        demandsProxyHeader: Bool = false,
        _ body: @Sendable (IngressUnderTest, Int) async throws -> Result
    ) async throws -> Result {
        var limits = limits
        if limits.stopDeadline == .seconds(5) { limits.stopDeadline = .milliseconds(200) }
        // On a busy machine a client may take longer than the usual deadlines.
        if limits.headDeadline == .seconds(5) { limits.headDeadline = .seconds(60) }
        if limits.requestDeadline == .seconds(10) { limits.requestDeadline = .seconds(60) }
        if limits.writeDeadline == .seconds(10) { limits.writeDeadline = .seconds(60) }
        let server = IngressUnderTest()
        var logger = Logger(label: "ingress") { _ in server.log }
        logger.logLevel = .debug
        let (ports, bound) = AsyncStream<Int>.makeStream()
        let ingress = Ingress(
            address: .port(host: "127.0.0.1", port: 0),
            routes: Post.routes,
            limits: limits,
            tls: tls,
            trustedProxies: trustedProxies,
            demandsProxyHeader: demandsProxyHeader,
            logger: logger,
            metricsFactory: server.metrics,
            now: { receivedAt },
            onListening: { address in _ = address.port.map { bound.yield($0) } },
            makeHandler: { _ in
                .callback { request, answer in
                    server.requestList.withLock { $0.append(request) }
                    let reply = IngressAnswer(status: 200, body: Array(answerBody.utf8))
                    switch manner {
                    case .atOnce: answer(reply)
                    case .fromAnotherThread: Thread.detachNewThread { answer(reply) }
                    case .whenTold: server.arrival.yield(Held(request: request, answer: answer))
                    }
                }
            }
        )
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [.init(service: ingress)], logger: .silent))
        server.group.withLock { $0 = services }
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer {
                    bound.finish()
                    server.arrival.finish()
                }
                try await services.run()
            }
            var port: Int?
            for await value in ports {
                port = value
                break
            }
            guard let port else {
                try await tasks.waitForAll()
                throw CancellationError()
            }
            let result = try await body(server, port)
            await services.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }
}

/// Spellings of a request.
enum Post {
    /// The paths of the listener under test.
    static let routes = IngressRoutes([
        path, "/adattributionkit/postbacks", "/.well-known/skadnetwork/report-attribution",
    ])
    static let path = "/skadnetwork/postbacks"

    /// A POST with a body and its length.
    static func request(
        to target: String = path,
        body: String = "{}",
        version: String = "1.1",
        fields: [String] = ["Host: localhost", "Content-Type: application/json"]
    ) -> String {
        head(to: target, version: version, fields: fields + ["Content-Length: \(body.utf8.count)"]) + body
    }

    /// A POST without a body and without a length, unless `fields` has one.
    static func head(
        to target: String = path,
        method: String = "POST",
        version: String = "1.1",
        fields: [String] = ["Host: localhost"]
    ) -> String {
        "\(method) \(target) HTTP/\(version)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }
}
