import AttributionConsole
import AttributionListener
import AttributionStore
import Foundation
import Metrics
import NIOSSL
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("The console", .timeLimit(.minutes(5)))
struct ConsoleTests {
    @Test("Every route has a path of its own, and only health, readiness, the description and the login are open")
    func routes() {
        let definitions = ConsoleRoute.allCases.map(\.definition)
        #expect(Set(definitions.map { "\($0.method) \($0.path)" }).count == definitions.count)
        #expect(
            ConsoleRoute.allCases.filter { $0.definition.access == .open } == [
                .health, .readiness, .apiDescription, .loginPage, .loginForm, .logoutForm, .pageAsset,
            ])
        for definition in definitions {
            #expect(definition.method != .get || definition.access != .scope(.sign), "signing is not a GET")
            #expect(definition.path.hasPrefix("/"))
        }
    }

    /// Runs a console with its metrics alone for the length of `body`.
    private static func run(
        tls: IngressTLS?,
        readiness: StoreHealth = .ready,
        _ metrics: PrometheusMetrics,
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        try await withConsole(
            [MetricsRoutes(metrics), HealthRoutes(readiness: { readiness })], tls: tls, metrics: metrics, body: body)
    }

    @Test("It serves over TLS with the identity it is given")
    func tls() async throws {
        let certificateFile = Fixture.path("first-certificate.pem")
        let keyFile = try Fixture.secret("first-key.pem")
        defer { try? FileManager.default.removeItem(atPath: keyFile) }
        let tls = IngressTLS(try TLSIdentity(certificateFile: certificateFile, keyFile: keyFile, now: Date()))
        let metrics = PrometheusMetrics()
        Counter(label: "skan_web_ads_issued_total", factory: metrics).increment()
        try await Self.run(tls: tls, metrics) { port in
            let report = try await TLSClient(port: port).exchange(
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(report.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(report.text.contains("skan_web_ads_issued_total 1\n"))
            #expect(report.certificate == (try NIOSSLCertificate.fromPEMFile(certificateFile).first))
        }
    }

    @Test(
        "It says whether postbacks can be recorded, and why not",
        arguments: [StoreHealth.ready, .failing(reason: "the disk is full: \"no space left\"", hint: "make room")])
    func readiness(_ health: StoreHealth) async throws {
        try await Self.run(tls: nil, readiness: health, PrometheusMetrics()) { port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = try client.answer()
                #expect(answer.status == (health == .ready ? 200 : 503))
                guard let reason = health.reason else {
                    #expect(answer.body == "ready\n")
                    return
                }
                let body = try JSONDecoder().decode([String: String].self, from: Data(answer.body.utf8))
                #expect(
                    body == ["status": "refused", "reason": "not-ready", "detail": reason, "hint": "make room"])
                client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test("Another method than the path's is refused with the method it has", arguments: ["POST", "HEAD", "OPTIONS"])
    func methods(_ method: String) async throws {
        try await Self.run(tls: nil, PrometheusMetrics()) { port in
            try await blocking {
                let client = try RawClient(port: port)
                for path in ["/metrics", "/metrics/"] {
                    client.send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    let answer = try client.answer(toHEAD: method == "HEAD")
                    #expect(answer.status == 405)
                    #expect(answer.fields["allow"] == "GET")
                    #expect(answer.fields["content-type"] == "application/json")
                    if method != "HEAD" { #expect(answer.reason == "method-not-allowed") }
                }
                client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test("Requests are counted by route and status, and a head beyond its bound is refused")
    func counting() async throws {
        let metrics = PrometheusMetrics()
        try await Self.run(tls: nil, metrics) { port in
            try await blocking {
                let client = try RawClient(port: port)
                for _ in 0..<3 {
                    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try client.answer().status == 200)
                }
                client.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let noPath = try client.answer()
                #expect(noPath.status == 404)
                #expect(noPath.reason == "not-found")
                client.send(
                    "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n")
                try client.waitForEnd()
            }
        }
        #expect(
            metrics.text().contains(
                #"skan_console_requests_total{route="/metrics",status="200",caller=""} 3"# + "\n"))
        #expect(metrics.text().contains(#"skan_console_request_seconds_count{route="/metrics"} 3"# + "\n"))
        #expect(!metrics.text().contains("nothing"))
    }

    @Test("Collectors are asked for each answer anew")
    func collectors() async throws {
        let depth = Mutex(0.0)
        let routes = MetricsRoutes(
            PrometheusMetrics(),
            collectors: [
                {
                    let value = depth.withLock { depth in
                        depth += 1
                        return depth
                    }
                    return [PrometheusSample("skan_ingest_queue_depth", value)]
                },
                { [PrometheusSample("skan_store_bytes", 4_096, labels: [("part", "wal")])] },
                { [] },
            ])
        try await withConsole([routes]) { port in
            for value in 1...2 {
                let answer = try await blocking {
                    let client = try RawClient(port: port)
                    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    return try client.answer()
                }
                #expect(answer.status == 200)
                #expect(answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
                #expect(
                    answer.body.contains("# TYPE skan_ingest_queue_depth gauge\nskan_ingest_queue_depth \(value)\n"))
                #expect(answer.body.contains("# TYPE skan_store_bytes gauge\nskan_store_bytes{part=\"wal\"} 4096\n"))
            }
        }
    }
}
