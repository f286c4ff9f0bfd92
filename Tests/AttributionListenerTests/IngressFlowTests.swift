import AttributionListener
import TestSupport
import Testing

@Suite("Order, pressure and half-closed clients", .timeLimit(.minutes(10)))
struct IngressFlowTests {
    @Test("Pipelined requests are handed over one at a time and answered in order")
    func pipelining() async throws {
        try await IngressUnderTest.run(manner: .whenTold) { server, port in
            let client = try await blocking {
                let client = try RawClient(port: port)
                client.send((0..<10).map { Post.request(body: "\($0)") }.joined())
                return client
            }
            for index in 0..<10 {
                let held = try await server.nextHeld()
                #expect(held.request.body == Array("\(index)".utf8))
                #expect(server.requests.count == index + 1)
                held.answer(IngressAnswer(status: 200, body: held.request.body))
                #expect(try await blocking { try client.answer().body } == "\(index)")
            }
        }
    }

    @Test("A client that sends while its answer is pending is served afterwards")
    func sendingWhilePending() async throws {
        try await IngressUnderTest.run(manner: .whenTold) { server, port in
            let client = try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request(body: "first"))
                return client
            }
            let first = try await server.nextHeld()
            try await blocking { () throws in
                let second = Post.request(body: "second")
                client.send(String(second.prefix(20)))
                client.send(String(second.dropFirst(20)))
            }
            first.answer(IngressAnswer(status: 200, body: []))
            let second = try await server.nextHeld()
            #expect(second.request.body == Array("second".utf8))
            second.answer(IngressAnswer(status: 202, body: []))
            #expect(try await blocking { [try client.answer().status, try client.answer().status] } == [200, 202])
        }
    }

    @Test("A thousand requests pipelined without a pause are all answered from another thread")
    func longPipeline() async throws {
        try await IngressUnderTest.run(manner: .fromAnotherThread) { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(String(repeating: Post.request(), count: 1000))
                for _ in 0..<1000 { #expect(try client.answer().status == 200) }
            }
            #expect(server.requests.count == 1000)
        }
    }

    @Test("A sound request before an unsound one is answered first")
    func soundThenUnsound() async throws {
        try await IngressUnderTest.run(manner: .whenTold) { server, port in
            let client = try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request() + Post.head(method: "GET") + "noise\r\n\r\n" + Post.request())
                return client
            }
            try await server.nextHeld().answer(IngressAnswer(status: 200, body: []))
            try await blocking { () throws in
                #expect(try client.answer().status == 200)
                #expect(try client.answer().status == 405)
                #expect(try client.answer().status == 400)
                client.closeSending()
                #expect(try client.isClosedByServer())
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("Bytes after Connection: close are not served", arguments: ["1.0", "1.1"])
    func afterClose(version: String) async throws {
        try await IngressUnderTest.run { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                let request = Post.request(version: version, fields: ["Host: a", "Connection: close"])
                client.send(request + request)
                #expect(try client.answer().saysClose)
                client.closeSending()
                #expect(try client.isClosedByServer())
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("A client that has closed its sending side gets its answers")
    func halfClosed() async throws {
        try await IngressUnderTest.run(manner: .whenTold) { server, port in
            let client = try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request() + Post.request())
                client.closeSending()
                return client
            }
            try await server.nextHeld().answer(IngressAnswer(status: 200, body: []))
            try await server.nextHeld().answer(IngressAnswer(status: 202, body: []))
            try await blocking { () throws in
                #expect(try client.answer().status == 200)
                #expect(try client.answer().status == 202)
                #expect(try client.isClosedByServer())
            }
        }
    }

    @Test(
        "A request cut short by its client is refused",
        arguments: ["POST", Post.head(fields: ["Host: a", "Content-Length: 9"]) + "{}"])
    func cutShort(bytes: String) async throws {
        try await IngressUnderTest.run { server, port in
            try await blocking {
                let client = try RawClient(port: port)
                client.send(bytes)
                client.closeSending()
                #expect(try client.answer().reason == "incomplete-request")
                #expect(try client.isClosedByServer())
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("A client that does not read its answers is no longer read from and then dropped")
    func slowReader() async throws {
        var limits = IngressLimits()
        limits.writeDeadline = .milliseconds(200)
        let large = String(repeating: "x", count: 100_000)
        try await IngressUnderTest.run(limits: limits, answerBody: large) { server, port in
            let client = try await blocking {
                let client = try RawClient(port: port, receiveBuffer: 4096)
                // Ends because the server stops reading and then closes.
                let start = ContinuousClock.now
                while client.send(String(repeating: Post.request(), count: 100)), start.duration(to: .now) < .seconds(8)
                {}
                return client
            }
            #expect(server.disconnects("write-deadline") == 1)
            #expect(server.requests.count < 1000)
            withExtendedLifetime(client) {}
        }
    }

    @Test("Answers larger than what the socket takes at once arrive whole and in order")
    func largeAnswers() async throws {
        try await IngressUnderTest.run(manner: .whenTold) { server, port in
            let client = try await blocking {
                let client = try RawClient(port: port, receiveBuffer: 4096)
                client.send(String(repeating: Post.request(), count: 4))
                return client
            }
            for (letter, count) in [("a", 2), ("b", 4_000_000), ("c", 2), ("d", 4_000_000)] {
                let body = String(repeating: letter, count: count)
                try await server.nextHeld().answer(IngressAnswer(status: 200, body: Array(body.utf8)))
                #expect(try await blocking { try client.answer().body } == body)
            }
        }
    }

    @Test("A second answer and an answer to a client that has gone change nothing")
    func needlessAnswers() async throws {
        try await IngressUnderTest.run(manner: .whenTold) { server, port in
            let client = try await blocking {
                let client = try RawClient(port: port)
                client.send(Post.request())
                return client
            }
            let first = try await server.nextHeld()
            first.answer(IngressAnswer(status: 200, body: []))
            first.answer(IngressAnswer(status: 500, body: []))
            let status = try await blocking {
                let status = try client.answer().status
                client.send(Post.request())
                return status
            }
            #expect(status == 200)
            let second = try await server.nextHeld()
            first.answer(IngressAnswer(status: 500, body: []))
            second.answer(IngressAnswer(status: 202, body: []))
            #expect(try await blocking { try client.answer().status } == 202)

            let gone = try await IngressFlowTests.requestOfAClientThatLeft(server, port: port)
            gone.answer(IngressAnswer(status: 200, body: []))
            _ = try await blocking { client.send(Post.request()) }
            try await server.nextHeld().answer(IngressAnswer(status: 200, body: []))
            #expect(try await blocking { try client.answer().status } == 200)
        }
    }

    private static func requestOfAClientThatLeft(
        _ server: IngressUnderTest, port: Int
    ) async throws -> IngressUnderTest.Held {
        let client = try await blocking {
            let client = try RawClient(port: port)
            client.send(Post.request())
            return client
        }
        defer { withExtendedLifetime(client) {} }
        return try await server.nextHeld()
    }
}
