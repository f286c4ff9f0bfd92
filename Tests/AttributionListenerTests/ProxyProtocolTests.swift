import AttributionListener
import Foundation
import NIOSSL
import TestSupport
import Testing

@Suite("The PROXY protocol", .timeLimit(.minutes(10)))
struct ProxyProtocolTests {
    /// Version 2: command, family, and what follows; the bytes are all ASCII.
    static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? rest.count
        return Array("\r\n\r\n\u{0}\r\nQUIT\n".utf8) + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)]
            + rest
    }

    private static let v4: [UInt8] = [10, 1, 2, 3, 127, 0, 0, 1, 4, 5, 6, 7]
    private static let v6: [UInt8] =
        [0x20, 1, 0x0D, 0x38] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 1, count: 20)

    enum Expected: Sendable {
        case unfinished, malformed
        case client(String?)
    }

    static let rows: [(name: String, bytes: [UInt8], expected: Expected)] = [
        ("nothing", [], .unfinished),
        ("the first letter", Array("P".utf8), .unfinished),
        ("a line without its end", Array("PROXY TCP4 192.0.2.1 ".utf8), .unfinished),
        ("TCP4", Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8), .client("192.0.2.1")),
        ("TCP6", Array("PROXY TCP6 2001:db8::7 2001:db8::1 0 65535\r\n".utf8), .client("2001:db8::7")),
        ("UNKNOWN", Array("PROXY UNKNOWN\r\n".utf8), .client(nil)),
        ("UNKNOWN with more", Array("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n".utf8), .client(nil)),
        ("HTTP", Array("POST / HTTP/1.1\r\n".utf8), .malformed),
        ("TLS", [0x16, 3, 1, 2, 0, 1], .malformed),
        ("small letters", Array("proxy TCP4 192.0.2.1 198.51.100.1 1 2\r\n".utf8), .malformed),
        ("a line feed alone", Array("PROXY TCP4 192.0.2.1 198.51.100.1 1 2\n".utf8), .malformed),
        ("no port", Array("PROXY TCP4 192.0.2.1 198.51.100.1 1\r\n".utf8), .malformed),
        ("two spaces", Array("PROXY TCP4  192.0.2.1 198.51.100.1 1 2\r\n".utf8), .malformed),
        ("a port that is too large", Array("PROXY TCP4 192.0.2.1 198.51.100.1 65536 2\r\n".utf8), .malformed),
        ("IPv6 as TCP4", Array("PROXY TCP4 2001:db8::7 198.51.100.1 1 2\r\n".utf8), .malformed),
        ("a name for an address", Array("PROXY TCP4 localhost 198.51.100.1 1 2\r\n".utf8), .malformed),
        ("UDP", Array("PROXY UDP4 192.0.2.1 198.51.100.1 1 2\r\n".utf8), .malformed),
        (
            "a line without an end that is too long",
            Array(("PROXY UNKNOWN " + String(repeating: "x", count: 93)).utf8), .malformed
        ),
        ("the signature alone", Array("\r\n\r\n\u{0}\r\nQUIT\n".utf8), .unfinished),
        ("a part of the signature", Array("\r\n\r\n".utf8), .unfinished),
        ("binary, IPv4", binary(0x21, 0x11, v4), .client("10.1.2.3")),
        ("binary, IPv6", binary(0x21, 0x21, v6), .client("2001:d38::7")),
        ("binary with more values", binary(0x21, 0x11, v4 + [UInt8](repeating: 1, count: 508)), .client("10.1.2.3")),
        ("binary, of the proxy itself", binary(0x20, 0x00, []), .client(nil)),
        ("binary, unspecified", binary(0x21, 0x00, [1, 2]), .client(nil)),
        ("binary, a Unix socket", binary(0x21, 0x31, [UInt8](repeating: 0, count: 216)), .client(nil)),
        ("binary, with less than it says", binary(0x21, 0x11, v4, length: 13), .unfinished),
        ("binary, too short for its addresses", binary(0x21, 0x11, [1, 2, 3]), .malformed),
        ("binary, longer than 536 bytes", binary(0x21, 0x11, v4, length: 521), .malformed),
        ("binary, an unknown command", binary(0x22, 0x11, v4), .malformed),
        ("binary, version 1", binary(0x11, 0x11, v4), .malformed),
        ("binary, UDP", binary(0x21, 0x12, v4), .malformed),
    ]

    @Test("A header is read as its sender meant it, or not at all", arguments: rows)
    func reading(_ row: (name: String, bytes: [UInt8], expected: Expected)) {
        // What follows belongs to the connection.
        for rest in [[], Array("GET".utf8)] as [[UInt8]] {
            let reading = (row.bytes + rest).withUnsafeBytes { ProxyHeader.read($0) }
            switch (row.expected, reading) {
            case (.client(let client), .header(let header)):
                #expect(header.source?.description == client, "\(row.name)")
                #expect(header.length == row.bytes.count && header.length <= ProxyHeader.longest, "\(row.name)")
            case (.malformed, .malformed): break
            case (.unfinished, .unfinished) where rest.isEmpty: break
            case (.unfinished, _) where !rest.isEmpty: break
            default: Issue.record("\(row.name): \(reading)")
            }
        }
    }

    @Test("No beginning of a header is taken for something else", arguments: rows)
    func prefixes(_ row: (name: String, bytes: [UInt8], expected: Expected)) {
        guard case .client = row.expected else { return }
        for count in 0..<row.bytes.count {
            #expect(
                row.bytes.prefix(count).withUnsafeBytes { ProxyHeader.read(UnsafeRawBufferPointer($0)) } == .unfinished)
        }
    }

    private static let proxies = Result { try TrustedProxies(["127.0.0.1"]) }

    @Test(
        "The client that a trusted proxy names is the client, and no field can name another",
        arguments: [
            ("PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\n", "192.0.2.7"),
            (String(decoding: binary(0x21, 0x11, v4), as: UTF8.self), "10.1.2.3"),
            ("PROXY UNKNOWN\r\n", "127.0.0.1"),
            // From another proxy behind it, whose field is believed.
            ("PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n", "203.0.113.9"),
        ])
    func client(_ header: String, _ client: String) async throws {
        let proxies = try Self.proxies.get()
        try await IngressUnderTest.run(trustedProxies: proxies, demandsProxyHeader: true) { server, port in
            let request = Post.request(
                fields: ["Host: a", "Content-Type: application/json", "X-Forwarded-For: 203.0.113.9"])
            try await blocking {
                let socket = try RawClient(port: port)
                // In two parts, so that the header is collected.
                _ = socket.send(String(header.prefix(3)))
                _ = socket.send(header.dropFirst(3) + request)
                #expect(try socket.answer().status == 200)
                _ = socket.send(request)
                #expect(try socket.answer().status == 200)
            }
            #expect(server.requests.map(\.client) == [client, client])
        }
    }

    @Test(
        "A trusted proxy without a header is cut off, and the log says so",
        arguments: [Post.request(), "GET / HT", "\u{16}\u{3}\u{1}"])
    func missing(_ bytes: String) async throws {
        let proxies = try Self.proxies.get()
        try await IngressUnderTest.run(trustedProxies: proxies, demandsProxyHeader: true) { server, port in
            try await blocking {
                let socket = try RawClient(port: port)
                _ = socket.send(bytes)
                try socket.waitForEnd()
            }
            #expect(server.disconnects("proxy-header") == 1)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("Nobody else may send a header, whether proxies have to or not", arguments: [true, false])
    func refused(_ demandsHeader: Bool) async throws {
        let proxies = try TrustedProxies(["192.0.2.1"])
        try await IngressUnderTest.run(trustedProxies: proxies, demandsProxyHeader: demandsHeader) { server, port in
            try await blocking {
                let socket = try RawClient(port: port)
                _ = socket.send("PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\n" + Post.request())
                let answer = try socket.answer()
                #expect(answer.status == 400)
                #expect(answer.body.contains("--proxy-protocol"))
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("A header that does not come is waited for as long as a handshake")
    func deadline() async throws {
        var limits = IngressLimits()
        limits.headDeadline = .milliseconds(100)
        let proxies = try Self.proxies.get()
        try await IngressUnderTest.run(limits: limits, trustedProxies: proxies, demandsProxyHeader: true) {
            server, port in
            try await blocking {
                let socket = try RawClient(port: port)
                _ = socket.send("PROXY TCP4 192.0.2.7")
                try socket.waitForEnd()
            }
            #expect(server.disconnects("head-deadline") == 1)
        }
    }

    @Test("The connections of a client that a proxy names are counted for that client")
    func connections() async throws {
        var limits = IngressLimits()
        limits.connectionsPerAddress = 2
        let proxies = try Self.proxies.get()
        try await IngressUnderTest.run(limits: limits, trustedProxies: proxies, demandsProxyHeader: true) {
            server, port in
            try await blocking {
                func connection(of client: String) throws -> RawClient {
                    let socket = try RawClient(port: port)
                    _ = socket.send("PROXY TCP4 \(client) 198.51.100.1 1 2\r\n" + Post.request())
                    return socket
                }
                var first: RawClient? = try connection(of: "192.0.2.7")
                let second = try connection(of: "192.0.2.7")
                #expect(try first?.answer().status == 200 && second.answer().status == 200)
                try connection(of: "192.0.2.7").waitForEnd()
                #expect(try connection(of: "192.0.2.8").answer().status == 200)
                first?.closeSending()
                try first?.waitForEnd()
                first = nil
                // The server has closed the first one, so that there is room again.
                #expect(try connection(of: "192.0.2.7").answer().status == 200)
            }
        }
    }
}
