import AttributionConsole
import Synchronization
import TestSupport
import Testing

@Suite("The route of the metrics", .timeLimit(.minutes(5)))
struct MetricsRoutesTests {
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
