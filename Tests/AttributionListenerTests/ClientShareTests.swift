import AttributionListener
import TestSupport
import Testing

@Suite("Shares of clients behind a proxy", .timeLimit(.minutes(10)))
struct ClientShareTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whom the proxy names for the two requests that are held, and for a third.
        let clients: [String?]
        let isRefused: Bool
    }

    @Test(
        "One client of a proxy has so many requests in flight, and the others are not affected",
        arguments: [
            Row(
                testDescription: "one address", clients: ["203.0.113.7", "203.0.113.7", "203.0.113.7"],
                isRefused: true),
            Row(
                testDescription: "one IPv6 network", clients: ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:7::3"],
                isRefused: true),
            Row(testDescription: "clients without a name", clients: ["unknown", "_a", "unknown"], isRefused: true),
            Row(
                testDescription: "another address", clients: ["203.0.113.7", "203.0.113.7", "203.0.113.8"],
                isRefused: false),
            Row(testDescription: "the proxy itself", clients: [nil, nil, nil], isRefused: false),
        ])
    func share(row: Row) async throws {
        var limits = IngressLimits()
        limits.connectionsPerAddress = 2
        let proxies = try TrustedProxies(["127.0.0.0/8"])
        try await IngressUnderTest.run(limits: limits, manner: .whenTold, trustedProxies: proxies) { server, port in
            @Sendable func request(_ client: String?) -> String {
                Post.request(fields: ["Host: a"] + (client.map { ["X-Forwarded-For: \($0)"] } ?? []))
            }
            let ok = IngressAnswer(status: 200, body: [])
            let clients = try await blocking { try row.clients.map { _ in try RawClient(port: port) } }
            var held: [IngressUnderTest.Held] = []
            for index in 0..<2 {
                _ = try await blocking { clients[index].send(request(row.clients[index])) }
                held.append(try await server.nextHeld())
            }
            _ = try await blocking { clients[2].send(request(row.clients[2])) }
            if row.isRefused {
                try await blocking { () throws in
                    let answer = try clients[2].answer()
                    #expect(answer.status == 503)
                    #expect(answer.reason == "overloaded")
                    #expect(answer.fields["retry-after"] == "1")
                    #expect(!answer.saysClose)
                }
                #expect(server.count("skan_ingress_refusals_total", [("reason", "overloaded")]) == 1)
                // An answer makes room for the next request of the same client.
                held[0].answer(ok)
                try await blocking { () throws in
                    #expect(try clients[0].answer().status == 200)
                    clients[2].send(request(row.clients[2]))
                }
            }
            try await server.nextHeld().answer(ok)
            #expect(try await blocking { try clients[2].answer().status } == 200)
            withExtendedLifetime(clients) {}
        }
    }
}
