import AttributionListener
import TestSupport
import Testing

@Suite("What the ingress refuses", .timeLimit(.minutes(10)))
struct IngressRefusalTests {
    @Test(
        "What cannot be served is refused, and the connection serves the next request",
        arguments: RefusedRequest.unserved)
    func unserved(row: RefusedRequest) async throws {
        try await check(row, limits: IngressLimits())
    }

    @Test("What is too large is refused while it is read, and the connection ends", arguments: RefusedRequest.oversized)
    func oversized(row: RefusedRequest) async throws {
        var limits = IngressLimits()
        limits.bodyBytes = 1000
        limits.targetBytes = 1000
        limits.headBytes = 2000
        limits.headFields = 8
        try await check(row, limits: limits)
    }

    @Test("What is not sound HTTP is refused, and nothing behind it is served", arguments: RefusedRequest.unsound)
    func unsound(row: RefusedRequest) async throws {
        try await check(row, limits: IngressLimits())
    }

    private func check(_ row: RefusedRequest, limits: IngressLimits) async throws {
        try await IngressUnderTest.run(limits: limits) { server, port in
            let answer = try await blocking {
                let client = try RawClient(port: port)
                client.send(row.bytes)
                if row.staysOpen {
                    let answer = try client.answer()
                    client.send(Post.request())
                    #expect(try client.answer().status == 200)
                    return answer
                }
                // A smuggled request, which must never be served.
                if !row.isUnfinished { client.send(Post.request(body: "smuggled")) }
                let answer = try client.answer()
                client.closeSending()
                #expect(try client.isClosedByServer())
                return answer
            }
            #expect(answer.status == row.status)
            #expect(answer.saysClose != row.staysOpen)
            #expect(answer.fields["content-type"] == "application/json")
            #expect(answer.fields["allow"] == (row.status == 405 ? "POST" : nil))
            #expect(answer.body.hasPrefix(#"{"status":"refused","reason":""#))
            // An empty reason: decoder and ingress both know the fault, and either may name it.
            if !row.reason.isEmpty { #expect(answer.reason == row.reason) }
            #expect(server.requests.map(\.body) == (row.staysOpen ? [Array("{}".utf8)] : []))
            let refused = server.count("skan_ingress_refusals_total", [("reason", answer.reason ?? "")])
            #expect(refused == 1)
        }
    }

    @Test("The answer to HEAD has the length of a body and no body")
    func head() async throws {
        try await IngressUnderTest.run { _, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.head(method: "HEAD"))
                let answer = try client.answer(toHEAD: true)
                #expect(answer.status == 405)
                #expect(answer.fields["content-length"] != "0")
                client.send(Post.request())
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test("A refusal quotes the path and not the query")
    func query() async throws {
        try await IngressUnderTest.run { _, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request(to: "/unknown\"path?token=secret"))
                let answer = try client.answer()
                #expect(answer.status == 404)
                #expect(answer.body.contains(#"\"/unknown\"path\""#))
                #expect(!answer.body.contains("secret"))
            }
        }
    }

    @Test("A client that keeps sending after a refusal can still read it, and is cut off at the bound")
    func linger() async throws {
        var limits = IngressLimits()
        limits.lingerBytes = 1_000_000
        try await IngressUnderTest.run(limits: limits) { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.head(fields: ["Host: localhost", "Content-Length: 100000000"]))
                client.send(String(repeating: "a", count: 500_000))
                #expect(try client.answer().status == 413)
                let start = ContinuousClock.now
                while client.send(String(repeating: "a", count: 100_000)), start.duration(to: .now) < .seconds(8) {}
            }
            #expect(server.disconnects("linger-bound") == 1)
        }
    }
}

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
