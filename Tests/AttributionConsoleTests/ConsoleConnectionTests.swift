import AttributionConsole
import AttributionExplaining
import AttributionListener
import AttributionReports
import AttributionSigning
import AttributionStore
import Foundation
import TestSupport
import Testing

@Suite("Connections of the console", .timeLimit(.minutes(5)))
struct ConsoleConnectionTests {
    private static let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private static func limits(_ change: (inout IngressLimits) -> Void) -> IngressLimits {
        var limits = IngressLimits.console
        // What a test does not wait for does not happen.
        limits.headDeadline = .seconds(3_600)
        limits.requestDeadline = .seconds(3_600)
        limits.idleDeadline = .seconds(3_600)
        limits.writeDeadline = .seconds(3_600)
        change(&limits)
        return limits
    }

    private static func run(
        _ change: (inout IngressLimits) -> Void = { _ in },
        metrics: PrometheusMetrics = PrometheusMetrics(),
        _ body: @escaping @Sendable (_ port: Int) throws -> Void
    ) async throws {
        let routes: [any ConsoleRoutes] = [
            HealthRoutes(readiness: { .ready }), MetricsRoutes(metrics), APIDescriptionRoutes(),
        ]
        try await withConsole(routes, limits: limits(change), metrics: metrics) { port in
            try await blocking { try body(port) }
        }
    }

    // MARK: Bounds

    @Test(
        "More unfinished requests than there may be connections keep a probe out no longer than to their deadlines",
        arguments: [(32, 1_000), (1_000, 16)],
        ["", "GET /healthz HTTP/1.1\r\nX: ", "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"])
    func flood(_ bounds: (total: Int, perAddress: Int), _ half: String) async throws {
        let metrics = PrometheusMetrics()
        try await Self.run(
            {
                $0.connections = bounds.total
                $0.connectionsPerAddress = bounds.perAddress
                ($0.headDeadline, $0.requestDeadline) = (.seconds(1), .seconds(1))
            }, metrics: metrics
        ) { port in
            let flood = try (0..<80).map { _ in
                let client = try RawClient(port: port)
                client.send(half)
                return client
            }
            for client in flood {
                try client.waitForEnd()
                // So that it does not linger.
                client.closeSending()
            }
            for path in ["/healthz", "/readyz", "/metrics"] {
                let probe = try RawClient(port: port)
                probe.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try probe.answer().status == 200)
            }
        }
        #expect(metrics.text().contains(#"skan_console_connections_total{outcome="reserved"}"#))
    }

    @Test("When every connection is busy, probes are answered and others told to try again")
    func reserve() async throws {
        let reports = HeldReports()
        let metrics = PrometheusMetrics()
        let routes: [any ConsoleRoutes] = [
            ReportRoutes(logger: .silent, report: { try await reports.report($0, $1) }),
            HealthRoutes(readiness: { .ready }),
            MetricsRoutes(metrics),
        ]
        let report = "GET /v1/report HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try await withConsole(routes, limits: Self.limits { $0.connections = 4 }, metrics: metrics) { port in
            let busy = try await blocking {
                try (0..<3).map { _ in
                    let client = try RawClient(port: port)
                    client.send(Self.health)
                    #expect(try client.answer().status == 200)
                    return client
                }
            }
            // One is counted and two wait; the event loop reads them before whatever comes later.
            for client in busy { client.send(report) }
            for await _ in reports.begun { break }
            try await blocking {
                for path in ["/healthz", "/metrics", "/readyz?x=1"] {
                    let probe = try RawClient(port: port)
                    probe.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let answer = try probe.answer()
                    #expect(answer.status == 200 && answer.saysClose)
                    #expect(try probe.isClosedByServer())
                }
                let other = try RawClient(port: port)
                other.send(report)
                let refused = try other.answer()
                #expect(refused.status == 503 && refused.reason == "too-many-connections" && refused.saysClose)
                #expect(refused.fields["retry-after"] == "1")
                reports.open()
                for client in busy { #expect(try client.answer().status == 200) }
            }
        }
        #expect(metrics.text().contains(#"skan_console_connections_total{outcome="reserved"} 4"# + "\n"))
        #expect(metrics.text().contains(#"skan_console_refusals_total{reason="too-many-connections"} 1"# + "\n"))
    }

    // MARK: Deadlines

    static let silences: [(String, String, @Sendable (inout IngressLimits) -> Void)] = [
        ("head-deadline", "", { $0.headDeadline = .milliseconds(50) }),
        ("idle-deadline", health, { $0.idleDeadline = .milliseconds(50) }),
        (
            "linger-bound", "GET /healthz HTTP/1.1\r\n\r\n",
            { $0.lingerDeadline = .milliseconds(50) }
        ),
    ]

    @Test("A client that falls silent is cut off", arguments: silences)
    func deadlines(_ reason: String, _ sent: String, _ change: @Sendable (inout IngressLimits) -> Void) async throws {
        let metrics = PrometheusMetrics()
        try await Self.run(change, metrics: metrics) { port in
            let client = try RawClient(port: port)
            client.send(sent)
            try client.waitForEnd()
            // Before a linger only the server's sending has ended, so the client must live until then.
            try withExtendedLifetime(client) {
                try Self.wait(for: #"skan_console_disconnects_total{reason="\#(reason)"} 1"#, in: metrics)
            }
        }
    }

    @Test("A client that does not read its answers is cut off")
    func slowReader() async throws {
        let metrics = PrometheusMetrics()
        try await Self.run({ $0.writeDeadline = .milliseconds(50) }, metrics: metrics) { port in
            let client = try RawClient(port: port, receiveBuffer: 4_096)
            // More than the buffers of both sides hold.
            for _ in 0..<400 { client.send("GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            try withExtendedLifetime(client) {
                try Self.wait(for: #"skan_console_disconnects_total{reason="write-deadline"} 1"#, in: metrics)
            }
        }
    }

    @Test("A stop cuts off a client that does not end its request")
    func stop() async throws {
        let sent =
            "POST /v1/explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
        let metrics = PrometheusMetrics()
        let explainer = PostbackExplainer(verifier: try PostbackVerifier())
        let routes: [any ConsoleRoutes] = [
            HealthRoutes(readiness: { .ready }), APIDescriptionRoutes(),
            ExplainRoutes(postbacks: explainer, logger: .silent),
        ]
        var client: RawClient?
        try await withConsole(routes, limits: Self.limits { $0.stopDeadline = .milliseconds(50) }, metrics: metrics) {
            port in
            client = try await blocking {
                let client = try RawClient(port: port, receiveBuffer: 4_096)
                client.send(sent)
                // The event loop reads what was sent before it accepts whoever comes later.
                let probe = try RawClient(port: port)
                probe.send(Self.health)
                #expect(try probe.answer().status == 200)
                return client
            }
        }
        withExtendedLifetime(client) {
            #expect(metrics.text().contains(#"skan_console_disconnects_total{reason="stop-deadline"} 1"# + "\n"))
        }
    }

    /// Waits until a metric has a value.
    private static func wait(for line: String, in metrics: PrometheusMetrics) throws {
        let end = ContinuousClock.now + .seconds(20)
        while !metrics.text().contains(line + "\n") {
            try #require(ContinuousClock.now < end, "\(line) is not in \(metrics.text())")
            sched_yield()
        }
    }

    // MARK: Requests

    static let refused: [(String, Int, String)] = [
        ("GET /healthz HTTP/1.1\r\n\r\n", 400, "missing-host"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "repeated-host"),
        ("GET /nothing HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400, "repeated-host"),
        (
            "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431,
            "head-too-large"
        ),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))", 431, "head-too-large"),
        ("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414, "target-too-long"),
        (
            "GET /healthz HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: x\r\n", count: 64))\r\n", 431,
            "head-too-large"
        ),
        (
            "GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400,
            "unsupported-transfer-coding"
        ),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: foo\r\n\r\n", 417, "unsupported-expectation"),
        ("nonsense\r\n\r\n", 400, "malformed-request"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "malformed-request"),
        ("GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n", 400, "malformed-request"),
    ]

    @Test("A faulty request is refused in the console's shape, in its turn, and is the last", arguments: refused)
    func faults(_ request: String, _ status: Int, _ reason: String) async throws {
        try await Self.run { port in
            let client = try RawClient(port: port)
            client.send(Self.health + request)
            #expect(try client.answer().status == 200)
            let refused = try client.answer()
            #expect(refused.status == status)
            #expect(refused.reason == reason)
            #expect(refused.fields["content-type"] == "application/json")
            #expect(refused.saysClose)
            try client.waitForEnd()
        }
    }

    static let hosts: [(String, Int)] = [
        ("/healthz HTTP/1.0\r\n", 200), ("/readyz HTTP/1.0\r\n", 200), ("/metrics HTTP/1.0\r\n", 403),
        ("/metrics HTTP/1.1\r\nHost: localhost:\(String(repeating: "0", count: 15_000))80\r\n", 403),
    ]

    @Test("Load balancers probe without Host; none for another path is foreign, as is one of 15 KB", arguments: hosts)
    func host(_ head: String, _ status: Int) async throws {
        try await Self.run { port in
            let client = try RawClient(port: port)
            client.send("GET \(head)\r\n")
            let answer = try client.answer()
            #expect(answer.status == status && answer.reason == (status == 403 ? "foreign-host" : nil))
        }
    }

    static let lasts: [(String, Bool)] = [
        ("GET /healthz HTTP/1.0\r\n\r\n", true),
        ("GET /healthz HTTP/1.0\r\nHost: a\r\n\r\n", true),
        ("GET /healthz HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", false),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", false),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n", false),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", false),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", true),
    ]

    @Test("A connection closes after its last answer, in HTTP/1.0 after the first unless asked", arguments: lasts)
    func keepAlive(_ request: String, _ isLast: Bool) async throws {
        try await Self.run { port in
            let client = try RawClient(port: port)
            client.send(request)
            let answer = try client.answer()
            #expect(answer.status == 200)
            #expect(answer.saysClose == isLast)
            if isLast {
                #expect(try client.isClosedByServer())
            } else {
                #expect(answer.fields["connection"] == (request.contains("1.0") ? "keep-alive" : nil))
                client.send(request)
                #expect(try client.answer().status == 200)
            }
        }
    }
}
