import AttributionListener
import TestSupport
import Testing

@Suite("Deadlines of the ingress", .timeLimit(.minutes(10)))
struct IngressDeadlineTests {
    @Test("A head that is not complete in time is refused, however steadily it comes", arguments: ["", Post.request()])
    func head(before: String) async throws {
        var limits = IngressLimits()
        limits.headDeadline = .milliseconds(300)
        try await IngressUnderTest.run(limits: limits) { _, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(before)
                if !before.isEmpty { #expect(try client.answer().status == 200) }
                client.send("POST \(Post.path) HTTP/1.1\r\nHost: a\r\n")
                let start = ContinuousClock.now
                // The end comes from the server, which must not wait longer for a client that drips.
                while client.isQuiet(forMilliseconds: 20), start.duration(to: .now) < .seconds(8) {
                    client.send("X: 1\r\n")
                }
                let answer = try client.answer()
                #expect(answer.status == 408)
                #expect(answer.reason == "deadline-passed")
                #expect(answer.saysClose)
                #expect(start.duration(to: .now) < .seconds(5))
                client.closeSending()
                #expect(try client.isClosedByServer())
            }
        }
    }

    @Test(
        "A body that is not complete in time is refused",
        arguments: [
            Post.head(fields: ["Host: a", "Content-Length: 9"]) + "{",
            Post.head(fields: ["Host: a", "Transfer-Encoding: chunked"]) + "1\r\n{\r\n",
            Post.head(to: "/unknown", fields: ["Host: a", "Content-Length: 9"]) + "{",
        ])
    func body(bytes: String) async throws {
        var limits = IngressLimits()
        limits.requestDeadline = .milliseconds(300)
        try await IngressUnderTest.run(limits: limits) { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(bytes)
                let answer = try client.answer()
                #expect(answer.status == 408)
                client.closeSending()
                #expect(try client.isClosedByServer())
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("A connection that never sends a byte is closed without a word")
    func opening() async throws {
        var limits = IngressLimits()
        limits.headDeadline = .milliseconds(200)
        try await IngressUnderTest.run(limits: limits) { server, port in
            let isClosed = try await blocking { try RawClient(port: port).isClosedByServer() }
            #expect(isClosed)
            #expect(server.disconnects("head-deadline") == 1)
        }
    }

    @Test("A connection idle between requests is closed without a word")
    func idle() async throws {
        var limits = IngressLimits()
        limits.idleDeadline = .milliseconds(200)
        try await IngressUnderTest.run(limits: limits) { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request())
                #expect(try client.answer().status == 200)
                #expect(try client.isClosedByServer())
            }
            #expect(server.disconnects("idle-deadline") == 1)
        }
    }

    @Test(
        "A request the handler does not decide in time is answered 503 with Retry-After, in whole seconds",
        arguments: [(1, "1"), (1_000, "1"), (1_001, "2")])
    func answer(_ milliseconds: Int, _ seconds: String) async throws {
        var limits = IngressLimits()
        limits.answerDeadline = .milliseconds(200)
        limits.retryAfter = .milliseconds(milliseconds)
        try await IngressUnderTest.run(limits: limits, manner: .whenTold) { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request())
                let answer = try client.answer()
                #expect(answer.status == 503)
                #expect(answer.fields["retry-after"] == seconds)
                #expect(answer.reason == "unanswered")
                #expect(answer.body.contains("may still take effect"), "unlike with every other 503")
                client.closeSending()
                #expect(try client.isClosedByServer())
            }
            // Too late, and no harm.
            try await server.nextHeld().answer(IngressAnswer(status: 200, body: []))
        }
    }

    @Test("A refused client that does not close is cut off")
    func linger() async throws {
        var limits = IngressLimits()
        limits.lingerDeadline = .milliseconds(200)
        try await IngressUnderTest.run(limits: limits) { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send("noise\r\n\r\n")
                #expect(try client.answer().status == 400)
                let start = ContinuousClock.now
                while client.send("more"), start.duration(to: .now) < .seconds(8) {
                    _ = client.isQuiet(forMilliseconds: 20)
                }
                #expect(start.duration(to: .now) < .seconds(5))
            }
            #expect(server.disconnects("linger-bound") == 1)
        }
    }
}
