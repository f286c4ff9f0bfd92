import Attribution
import AttributionForwarding
import AttributionListener
import TestSupport
import Testing

@Suite("Where destinations may be", .timeLimit(.minutes(2)))
struct AddressTests {
    static let refused = [
        "0.0.0.0", "0.255.255.255", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192",
        "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::a00:1", "64:ff9b::808:808",
        "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "3fff::1",
        "2002:a00:1::1", "2002:808:808::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1",
        "ff02::1", "ff0e::1",
    ]

    static func url(_ address: String, _ scheme: String = "https") -> String {
        "\(scheme)://\(address.contains(":") ? "[\(address)]" : address)/"
    }

    static func destination(_ url: String, _ more: String = "") throws -> Destination? {
        try Bench.destinations(#"{"name": "d", "body": "raw", "url": "\#(url)"\#(more)}"#).first
    }

    @Test("A forbidden address is refused, and the file can allow it, for plain HTTP too", arguments: refused)
    func forbidden(_ address: String) throws {
        #expect(throws: DestinationFileProblem.self) { try Self.destination(Self.url(address)) }
        #expect(throws: DestinationFileProblem.self) { try Self.destination(Self.url(address, "http")) }
        let isMapped = address.contains("::ffff:")
        let found = try #require(InternetAddress(address))
        #expect(!AddressRule(allow: [], isSecure: true).permits(found, isMapped: isMapped))
        let allow = #", "allow": ["\#(found)"]"#
        for scheme in ["http", "https"] {
            let destination = try #require(try Self.destination(Self.url(address, scheme), allow))
            #expect(destination.addressRule.permits(found, isMapped: isMapped))
        }
    }

    @Test(
        "A public address is not, but plain HTTP goes nowhere without leave",
        arguments: [
            "8.8.8.8", "1.1.1.1", "100.63.255.255", "172.32.0.1", "198.20.0.1", "2606:4700::1111", "2a00:1450::1",
        ])
    func permitted(_ address: String) throws {
        #expect(try Self.destination(Self.url(address)) != nil)
        #expect(throws: DestinationFileProblem.self) { try Self.destination(Self.url(address, "http")) }
        let found = try #require(InternetAddress(address))
        #expect(!AddressRule(allow: [], isSecure: false).permits(found, isMapped: false))
    }

    @Test(
        "A host that something may read as an address is refused",
        arguments: [
            "2130706433", "0x7f000001", "0x7f.0.0.1", "127.1", "0177.0.0.1", "127.0.0.1.", "localhost", "a.localhost",
            "[fe80::1%25eth0]", "[127.0.0.1]", "a b", "partner.example@127.0.0.1", "ⓛocalhost",
        ])
    func spellings(_ host: String) {
        #expect(throws: DestinationFileProblem.self) { try Self.destination("https://\(host)/") }
    }

    @Test("A name that leads to refused addresses alone is not connected to")
    func names() async throws {
        let bench = try Bench()
        let destination = try #require(try Self.destination("https://ip6-localhost/"))
        guard case .failed(let reason) = try await bench.send(try bench.body(.v3_0), to: destination) else {
            Issue.record("it was connected to")
            return
        }
        // Not every machine knows the name.
        #expect(reason.contains("has only addresses that are refused (::1)") || reason.hasSuffix("has no address"))
    }

    @Test("Of the addresses of a name, an allowed one is connected to")
    func filteredNames() async throws {
        let server = try ScriptedServer([Bench.accepts])
        let bench = try Bench()
        let destination = try #require(
            try Self.destination("http://localhost:\(server.port)/", #", "allow": ["127.0.0.1"]"#))
        #expect(try await bench.send(try bench.body(.v3_0), to: destination).isDelivered)
        #expect(try await server.end().count == 1)
    }

    @Test("Through a proxy, literal addresses are judged, and so are names that a certificate cannot be compared with")
    func proxies() throws {
        let proxy = #", "proxy": "http://127.0.0.1:3128""#
        #expect(try Self.destination("https://partner.example/", proxy) != nil)
        for url in ["https://10.0.0.1/", "https://localhost/", "https://8.8.8.8/", "http://partner.example/"] {
            #expect(throws: DestinationFileProblem.self) { try Self.destination(url, proxy) }
        }
        #expect(throws: DestinationFileProblem.self) {
            try Self.destination("http://partner.example/", proxy + #", "allow": ["10.0.0.0/8"]"#)
        }
        #expect(try Self.destination("http://10.0.0.1/", proxy + #", "allow": ["10.0.0.0/8"]"#) != nil)
    }
}
