import AttributionListener
import TestSupport
import Testing

@Suite("Connection caps", .timeLimit(.minutes(10)))
struct IngressConnectionCapTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limits: IngressLimits
        let trustedProxies: TrustedProxies
        let outcome: String
        let admitted: Int
    }

    private static var rows: [Row] {
        get throws {
            var total = IngressLimits()
            total.connections = 3
            var address = IngressLimits()
            address.connectionsPerAddress = 2
            var both = address
            both.connections = 4
            return [
                Row(
                    testDescription: "in total", limits: total, trustedProxies: .none, outcome: "over-total-cap",
                    admitted: 3),
                Row(
                    testDescription: "from one address", limits: address, trustedProxies: .none,
                    outcome: "over-address-cap", admitted: 2),
                Row(
                    testDescription: "from a trusted proxy, in total only", limits: both,
                    trustedProxies: try TrustedProxies(["127.0.0.0/8"]), outcome: "over-total-cap", admitted: 4),
            ]
        }
    }

    @Test("A connection over the cap is closed at once, and one that closes makes room", arguments: try rows)
    func cap(row: Row) async throws {
        try await IngressUnderTest.run(limits: row.limits, trustedProxies: row.trustedProxies) { server, port in
            try await blocking {
                var clients: [RawClient] = []
                for _ in 0..<row.admitted {
                    let client = try RawClient(port: port)
                    client.send(Post.request())
                    #expect(try client.answer().status == 200)
                    clients.append(client)
                }
                let refused = try RawClient(port: port)
                try refused.waitForEnd()

                // The server stops counting a connection before it closes it.
                let leaving = clients.removeFirst()
                leaving.send(Post.request(fields: ["Host: a", "Connection: close"]))
                #expect(try leaving.answer().status == 200)
                try leaving.waitForEnd()
                let admitted = try RawClient(port: port)
                admitted.send(Post.request())
                #expect(try admitted.answer().status == 200)
                for client in clients {
                    client.send(Post.request())
                    #expect(try client.answer().status == 200)
                }
            }
            let refused = server.count("skan_ingress_connections_total", [("outcome", row.outcome)])
            #expect(refused == 1)
        }
    }
}
