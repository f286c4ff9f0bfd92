import AttributionHTTP
import Foundation
import Testing

@Suite("The public listener", .timeLimit(.minutes(2)))
struct IngressTests {
    static let path = "/skadnetwork/postbacks"

    static func post(_ body: String, _ fields: String = "", path: String = path) -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test(
        "Each request gets its answer, and the connection ends where it must",
        arguments: [
            ("a postback", post("{}", "Content-Type: application/json\r\n"), 200, false),
            (
                "a charset behind the media type", post("{}", "content-type: Application/JSON; charset=utf-8\r\n"), 200,
                false
            ),
            ("no media type", post("{}"), 200, false),
            ("another path", post("{}", path: "/adattributionkit/postbacks"), 200, false),
            ("a developer's copy", post("{}", path: "/.well-known/skadnetwork/report-attribution/"), 200, false),
            (
                "a developer's copy without the slash",
                post("{}", path: "/.well-known/appattribution/report-attribution"), 200, false
            ),
            ("a query", post("{}", path: path + "?x=1"), 200, false),
            (
                "a chunked body",
                "POST \(path) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
                200, false
            ),
            ("Connection: Close", post("{}", "Connection: Close\r\n"), 200, true),
            ("connection: close", post("{}", "connection: close\r\n"), 200, true),
            ("HTTP/1.0", "POST \(path) HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}", 200, true),
            ("an unknown path", post("{}", path: "/"), 404, true),
            ("a path that goes on", post("{}", path: path + "/x"), 404, true),
            ("GET", "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n", 405, true),
            ("PUT", "PUT \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", 405, true),
            ("a form", post("a=b", "Content-Type: application/x-www-form-urlencoded\r\n"), 415, true),
            ("a long body, declared", "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\n\r\n", 413, true),
            (
                "a very long body, declared",
                "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999\r\n\r\n", 413, true
            ),
            (
                "a long body, chunked",
                "POST \(path) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4001\r\n"
                    + String(repeating: "x", count: 0x4001) + "\r\n0\r\n\r\n", 413, true
            ),
            ("no Host", "POST \(path) HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400, true),
            ("two Hosts", "POST \(path) HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}", 400, true),
            (
                "two lengths", "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                400, true
            ),
            (
                "length and chunks",
                "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                400, true
            ),
            (
                "no length that is a number", "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: two\r\n\r\n{}", 400,
                true
            ),
            ("a negative length", "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n{}", 400, true),
            ("a space before the colon", "POST \(path) HTTP/1.1\r\nHost : h\r\nContent-Length: 2\r\n\r\n{}", 400, true),
            ("no HTTP", "nonsense\r\n\r\n", 400, true),
            ("TLS", "\u{16}\u{3}\u{1}\r\n\r\n", 400, true),
            (
                "65 fields",
                "POST \(path) HTTP/1.1\r\nHost: h\r\n" + (0..<65).map { "X-\($0): 1\r\n" }.joined() + "\r\n", 431, true
            ),
            ("a long field", post("{}", "X: " + String(repeating: "x", count: 16_384) + "\r\n"), 431, true),
            ("a long path", post("{}", path: path + "?" + String(repeating: "x", count: 16_384)), 431, true),
        ])
    func answers(_ name: String, _ request: String, _ status: Int, _ closes: Bool) async throws {
        try await TestIngress.run { ingress in
            let connection = try RawConnection(port: ingress.port)
            connection.send(request)
            if !closes {
                // Kept alive: the same connection serves another.
                #expect(connection.read(until: "\"body\"")?.hasPrefix("HTTP/1.1 \(status) ") == true)
                connection.send(Self.post("{}", "Connection: close\r\n"))
            }
            let rest = try #require(connection.readToEnd(), "the connection stays open")
            #expect(rest.hasPrefix("HTTP/1.1 \(closes ? status : 200) "))
            #expect(rest.contains("Connection: close\r\n"))
            #expect(rest.contains("Content-Type: application/json\r\n"))
            #expect((status == 405) == rest.contains("Allow: POST\r\n"))
            if status != 200 {
                #expect(rest.contains("\"status\":\"refused\",\"reason\":\""))
            }
        }
    }

    @Test("A declared body is read only after 100 Continue, and only when the head is good")
    func expectations() async throws {
        try await TestIngress.run { ingress in
            let good = try RawConnection(port: ingress.port)
            good.send("POST \(Self.path) HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(good.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            good.send("{}")
            #expect(good.read(until: "\"body\"")?.hasPrefix("HTTP/1.1 200 ") == true)
            let long = try RawConnection(port: ingress.port)
            long.send("POST \(Self.path) HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 20000\r\n\r\n")
            #expect(long.readToEnd()?.hasPrefix("HTTP/1.1 413 ") == true)
        }
    }

    @Test("Requests sent behind each other are answered in order")
    func pipelining() async throws {
        try await TestIngress.run { ingress in
            let connection = try RawConnection(port: ingress.port)
            connection.send((0..<50).map { Self.post("\($0)") }.joined() + Self.post("last", "Connection: close\r\n"))
            let text = try #require(connection.readToEnd())
            let bodies = text.split(separator: "\"body\":\"").dropFirst().map { $0.prefix { $0 != "\"" } }
            #expect(bodies == (0..<50).map { Substring("\($0)") } + ["last"])
        }
    }

    @Test("A request behind one that waits for its answer waits too")
    func waiting() async throws {
        try await TestIngress.run { ingress in
            let first = try RawConnection(port: ingress.port)
            first.send(Self.post("hold") + Self.post("second", "Connection: close\r\n"))
            let other = try RawConnection(port: ingress.port)
            // Released once the first request is held; until then the other's answers free nobody.
            repeat {
                other.send(Self.post("release"))
                _ = other.read(until: "release")
            } while first.peekIsEmpty()
            let text = try #require(first.readToEnd())
            #expect(text.contains("\"body\":\"hold\"") && text.contains("\"body\":\"second\""))
        }
    }

    @Test("A sender that closes its half still gets its answer")
    func halfClosed() async throws {
        try await TestIngress.run { ingress in
            let connection = try RawConnection(port: ingress.port)
            connection.send(Self.post("{}"))
            connection.finishSending()
            #expect(connection.readToEnd()?.hasPrefix("HTTP/1.1 200 ") == true)
        }
    }

    @Test(
        "A slow head, a slow body and an idle connection are ended",
        arguments: [
            ("nothing", "", false), ("half a head", "POST \(path) HTTP/1.1\r\nHo", true),
            ("half a body", "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{", true),
        ])
    func deadlines(_ name: String, _ sent: String, _ isTold: Bool) async throws {
        var limits = IngressLimits()
        limits.headTime = .milliseconds(200)
        limits.requestTime = .milliseconds(300)
        limits.idleTime = .milliseconds(200)
        try await TestIngress.run(limits) { ingress in
            let connection = try RawConnection(port: ingress.port)
            connection.send(sent)
            let text = try #require(connection.readToEnd(), "the connection stays open")
            #expect(text.hasPrefix("HTTP/1.1 408 ") == isTold)
            let idle = try RawConnection(port: ingress.port)
            idle.send(Self.post("{}"))
            #expect(idle.readToEnd()?.hasPrefix("HTTP/1.1 200 ") == true)
        }
    }

    @Test("A connection carries a bounded number of requests")
    func requestsPerConnection() async throws {
        var limits = IngressLimits()
        limits.requestsPerConnection = 3
        try await TestIngress.run(limits) { ingress in
            let connection = try RawConnection(port: ingress.port)
            connection.send((0..<5).map { Self.post("\($0)") }.joined())
            let text = try #require(connection.readToEnd())
            #expect(text.split(separator: "HTTP/1.1 200").count == 3)
            #expect(text.split(separator: "Connection: close").count == 2)
        }
    }

    @Test("Connections are bounded for each address, and free again when closed")
    func connections() async throws {
        var limits = IngressLimits()
        limits.connectionsPerAddress = 2
        try await TestIngress.run(limits) { ingress in
            let first = try RawConnection(port: ingress.port)
            let second = try RawConnection(port: ingress.port)
            for connection in [first, second] {
                connection.send(Self.post("{}"))
                #expect(connection.read(until: "\"body\"") != nil)
            }
            let third = try RawConnection(port: ingress.port)
            third.send(Self.post("{}"))
            #expect(third.readToEnd() == "")
            first.send(Self.post("{}", "Connection: close\r\n"))
            _ = first.readToEnd()
            // The server forgets the connection a moment after it closed it.
            var text: String?
            repeat {
                let fourth = try RawConnection(port: ingress.port)
                fourth.send(Self.post("{}", "Connection: close\r\n"))
                text = fourth.readToEnd()
            } while text == ""
            #expect(text?.hasPrefix("HTTP/1.1 200 ") == true)
        }
    }

    @Test("Stopping answers what was accepted, ends idle connections, and cuts off half a body at its bound")
    func stopping() async throws {
        var limits = IngressLimits()
        limits.stopTime = .milliseconds(500)
        let connections = try await TestIngress.run(limits) { ingress in
            let idle = try RawConnection(port: ingress.port)
            idle.send(Self.post("{}"))
            #expect(idle.read(until: "\"body\"") != nil)
            let half = try RawConnection(port: ingress.port)
            half.send("POST \(Self.path) HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{")
            return Connections(idle: idle, half: half)
        }
        #expect(connections.idle.readToEnd() == "")
        #expect(connections.half.readToEnd()?.contains("200") != true)
    }

    /// Handed from the server's task to the test's after the server has ended.
    private final class Connections: @unchecked Sendable {
        // Proof for @unchecked: each is used by one task at a time, the second after the first has returned.
        let idle: RawConnection
        let half: RawConnection

        init(idle: RawConnection, half: RawConnection) {
            self.idle = idle
            self.half = half
        }
    }
}
