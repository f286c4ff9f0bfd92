import AttributionListener
import TestSupport
import Testing

@Suite("Trusted proxies", .timeLimit(.minutes(10)))
struct TrustedProxiesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var field = ForwardingField.xForwardedFor
        let values: [String]
        let client: String?
    }

    private static let rows: [Row] = [
        Row(testDescription: "no field", values: [], client: "10.0.0.1"),
        Row(testDescription: "one address", values: ["203.0.113.7"], client: "203.0.113.7"),
        Row(testDescription: "the rightmost one", values: ["198.51.100.1, 203.0.113.7"], client: "203.0.113.7"),
        Row(
            testDescription: "left of trusted ones", values: ["1.1.1.1, 203.0.113.7, 10.9.9.9,10.0.0.2"],
            client: "203.0.113.7"),
        Row(
            testDescription: "over several lines",
            values: ["1.1.1.1", "203.0.113.7", "10.0.0.2"],
            client: "203.0.113.7"
        ),
        Row(testDescription: "all trusted", values: ["10.0.0.3, 10.0.0.2"], client: "10.0.0.3"),
        Row(testDescription: "a port", values: ["203.0.113.7:4711"], client: "203.0.113.7"),
        Row(testDescription: "IPv6", values: ["2001:DB8:0::7"], client: "2001:db8::7"),
        Row(testDescription: "IPv6 in brackets with a port", values: ["[2001:db8::7]:80"], client: "2001:db8::7"),
        Row(testDescription: "IPv4 in IPv6", values: ["1.1.1.1, ::ffff:10.0.0.2"], client: "1.1.1.1"),
        Row(testDescription: "a trusted IPv6 network", values: ["1.1.1.1, 2001:db8:1::9"], client: "1.1.1.1"),
        Row(testDescription: "a word", values: ["1.1.1.1, unknown"], client: nil),
        Row(testDescription: "a word left of a trusted one", values: ["unknown, 10.0.0.2"], client: nil),
        Row(testDescription: "an empty entry", values: ["1.1.1.1,"], client: nil),
        Row(testDescription: "an open quote", values: ["\"1.1.1.1, 203.0.113.7"], client: "203.0.113.7"),
        Row(
            testDescription: "an open quote before a proxy", values: ["a\", 203.0.113.7, 10.0.0.2"],
            client: "203.0.113.7"),
        Row(testDescription: "Forwarded", field: .forwarded, values: ["for=203.0.113.7"], client: "203.0.113.7"),
        Row(
            testDescription: "Forwarded, with more",
            field: .forwarded,
            values: ["for=1.1.1.1, For=\"203.0.113.7:80\";proto=https;by=10.0.0.2, for=10.0.0.2"],
            client: "203.0.113.7"
        ),
        Row(
            testDescription: "Forwarded, IPv6", field: .forwarded, values: ["proto=http; for=\"[2001:db8::7]:4711\""],
            client: "2001:db8::7"),
        Row(testDescription: "Forwarded, hidden", field: .forwarded, values: ["for=_hidden"], client: nil),
        Row(testDescription: "Forwarded, without for", field: .forwarded, values: ["proto=http"], client: nil),
        Row(
            testDescription: "Forwarded, a comma in quotes", field: .forwarded,
            values: ["host=\"a,b\";for=203.0.113.7"], client: "203.0.113.7"),
        Row(
            testDescription: "Forwarded, a semicolon in quotes", field: .forwarded,
            values: ["host=\"a;for=1.1.1.1\";for=203.0.113.7"], client: "203.0.113.7"),
        Row(
            testDescription: "Forwarded, a quote without its other half", field: .forwarded,
            values: ["for=1.1.1.1, host=\"a;for=1.1.1.1, for=203.0.113.7"], client: nil),
        Row(
            testDescription: "the 32nd entry", values: ["203.0.113.7" + String(repeating: ",10.0.0.2", count: 31)],
            client: "203.0.113.7"),
        Row(
            testDescription: "the 33rd entry", values: ["203.0.113.7" + String(repeating: ",10.0.0.2", count: 32)],
            client: nil),
        Row(testDescription: "33 lines", values: Array(repeating: "10.0.0.2", count: 33), client: nil),
        Row(
            testDescription: "an entry longer than any address",
            values: [String(repeating: " ", count: 600) + "203.0.113.7"], client: nil),
        Row(testDescription: "leading zeros", values: ["203.0.113.007"], client: nil),
        Row(testDescription: "five numbers", values: ["203.0.113.7.1"], client: nil),
        Row(testDescription: "a number beyond 255", values: ["203.0.256.7"], client: nil),
        Row(testDescription: "an empty number", values: ["203..113.7"], client: nil),
        Row(testDescription: "IPv6 with a zone", values: ["fe80::1%eth0"], client: nil),
        Row(testDescription: "two ports", values: ["203.0.113.7:1:2"], client: nil),
    ]

    @Test("The client is the rightmost address that is not a proxy", arguments: rows)
    func client(row: Row) throws {
        let proxies = try TrustedProxies(["10.0.0.0/8", "2001:db8:1::/48"], field: row.field)
        let peer = try #require(InternetAddress("10.0.0.1"))
        #expect(proxies.client(forwardedBy: peer, values: row.values)?.description == row.client)
    }

    @Test(
        "A client is counted by its IPv4 address or its IPv6 /64 network",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:DB8::7", "2001:db8::/64"), ("::1", "::/64"),
        ])
    func clientText(address: String, text: String) throws {
        #expect(try #require(InternetAddress(address)).clientText == text)
    }

    @Test(
        "A network contains its addresses and no others",
        arguments: [
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/31", "192.0.2.1", true),
            ("192.0.2.0/31", "192.0.2.2", false), ("0.0.0.0/0", "203.0.113.7", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true), ("::ffff:10.0.0.0/8", "10.1.1.1", true),
            ("2001:db8::/32", "2001:db9::", false),
        ])
    func contains(network: String, address: String, isInside: Bool) throws {
        #expect(try TrustedProxies([network]).contains(try #require(InternetAddress(address))) == isInside)
    }

    @Test(
        "Text that is not a network is an error",
        arguments: [
            "", "10", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/8/8", "::/129", "localhost", "1.2.3.4 ",
        ])
    func malformed(text: String) {
        #expect(throws: IngressError.malformedNetwork(text)) { try TrustedProxies([text]) }
    }

    @Test(
        "Only a trusted peer names its client, and only in the field it writes",
        arguments: [
            (["127.0.0.1"], ForwardingField.xForwardedFor, "203.0.113.7"),
            (["127.0.0.1"], .forwarded, "198.51.100.9"),
            (["192.0.2.1"], .xForwardedFor, "127.0.0.1"),
            ([], .xForwardedFor, "127.0.0.1"),
        ])
    func overTheWire(networks: [String], field: ForwardingField, client: String) async throws {
        let proxies = try TrustedProxies(networks, field: field)
        try await IngressUnderTest.run(trustedProxies: proxies) { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(
                    Post.request(fields: ["Host: a", "X-Forwarded-For: 203.0.113.7", "Forwarded: for=198.51.100.9"]))
                #expect(try client.answer().status == 200)
            }
            #expect(server.requests.first?.client == client)
        }
    }
}
