import AttributionListener
import TestSupport
import Testing

@Suite("What the ingress records of a request", .timeLimit(.minutes(10)))
struct IngressRecordTests {
    @Test("One line for each request, without body or query; counters by matched route and status")
    func lineAndCounters() async throws {
        try await IngressUnderTest.run { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request(to: Post.path + "?token=secret", body: "{\"private\":1}"))
                #expect(try client.answer().status == 200)
                client.send(Post.request(to: "/secret-path"))
                #expect(try client.answer().status == 404)
            }
            let lines = server.log.lines.filter { $0.hasPrefix("debug request ") }
            #expect(lines.count == 2)
            #expect(lines[0].contains("method=POST route=/skadnetwork/postbacks status=200"))
            #expect(lines[0].contains("body_bytes=13"))
            #expect(lines[0].contains("duration_ms="))
            #expect(lines[1].contains("method=POST reason=not-found route=none status=404"))
            #expect(!server.log.lines.contains { $0.contains("secret") || $0.contains("private") })
            for (route, status) in [(Post.path, "200"), ("none", "404")] {
                let count = server.count("skan_ingress_requests_total", [("route", route), ("status", status)])
                #expect(count == 1)
            }
        }
    }
}
