import AttributionListener
import Foundation
import Logging
import TestSupport
import Testing

@Suite("Graceful stop", .timeLimit(.minutes(10)))
struct IngressStopTests {
    @Test("Idle connections close, pending requests are answered, new connections are refused")
    func gracefulStop() async throws {
        var limits = IngressLimits()
        limits.stopDeadline = .seconds(20)
        try await IngressUnderTest.run(limits: limits, manner: .whenTold) { server, port in
            let (idle, fresh, busy, reading) = try await blocking {
                let clients = try (0..<4).map { _ in try RawClient(port: port) }
                clients[0].send(Post.request(body: "idle"))
                return (clients[0], clients[1], clients[2], clients[3])
            }
            try await server.nextHeld().answer(IngressAnswer(status: 200, body: []))
            try await blocking { () throws in
                #expect(try idle.answer().saysClose == false)
                busy.send(Post.request(body: "busy"))
            }
            let held = try await server.nextHeld()
            try await blocking { () throws in
                // The server asks for the body once it has read the head: bytes that it has not read begin no request.
                reading.send(Post.head(fields: ["Host: a", "Expect: 100-continue", "Content-Length: 5"]))
                #expect(try reading.answer().status == 100)
                reading.send("beg")
            }
            await server.stop()
            try await blocking { () throws in
                #expect(try idle.isClosedByServer())
                #expect(try fresh.isClosedByServer())
                #expect(throws: (any Error).self) { try RawClient(port: port).answer() }
                reading.send("un")
            }
            let last = try await server.nextHeld()
            #expect(last.request.body == Array("begun".utf8))
            held.answer(IngressAnswer(status: 200, body: []))
            last.answer(IngressAnswer(status: 202, body: []))
            try await blocking {
                for (client, status) in [(busy, 200), (reading, 202)] {
                    let answer = try client.answer()
                    #expect(answer.status == status)
                    #expect(answer.saysClose)
                    client.closeSending()
                    #expect(try client.isClosedByServer())
                }
            }
        }
    }

    @Test("At the bound, unfinished bodies and undecided requests are cut off")
    func bound() async throws {
        var limits = IngressLimits()
        limits.stopDeadline = .milliseconds(300)
        // Far beyond what a busy machine takes, so that nothing else ends these connections first.
        (limits.requestDeadline, limits.answerDeadline) = (.seconds(120), .seconds(120))
        try await IngressUnderTest.run(limits: limits, manner: .whenTold) { server, port in
            let (busy, reading) = try await blocking {
                let clients = try (0..<2).map { _ in try RawClient(port: port) }
                clients[0].send(Post.request())
                clients[1].send(Post.head(fields: ["Host: a", "Content-Length: 9"]) + "{")
                return (clients[0], clients[1])
            }
            let held = try await server.nextHeld()
            let start = ContinuousClock.now
            await server.stop()
            try await blocking {
                try busy.waitForEnd()
                try reading.waitForEnd()
            }
            #expect(start.duration(to: .now) < .seconds(60))
            // Too late, and no harm.
            held.answer(IngressAnswer(status: 200, body: []))
        }
    }

    @Test("A port that is taken is an error that says so")
    func portTaken() async throws {
        try await IngressUnderTest.run { _, port in
            let second = Ingress(
                address: .port(host: "127.0.0.1", port: port), routes: Post.routes, logger: .silent,
                now: { .distantPast }
            ) { _ in .callback { _, _ in } }
            await #expect {
                try await second.run()
            } throws: { error in
                guard case .cannotListen("127.0.0.1", port, _) = error as? IngressError else { return false }
                return "\(error)".hasPrefix("cannot listen on 127.0.0.1:\(port): ")
            }
        }
    }

    @Test("Cancelling ends everything at once")
    func cancellation() async throws {
        let (ports, bound) = AsyncStream<Int>.makeStream()
        let ingress = Ingress(
            address: .port(host: "127.0.0.1", port: 0),
            threads: 2,
            routes: Post.routes,
            logger: .silent,
            now: { .distantPast },
            onListening: { address in _ = address.port.map { bound.yield($0) } },
            makeHandler: { _ in .callback { _, _ in } }
        )
        let task = Task { try await ingress.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let client = try await blocking {
            let client = try RawClient(port: port)
            client.send(Post.head(fields: ["Host: a", "Content-Length: 9"]))
            return client
        }
        task.cancel()
        try await blocking { try client.waitForEnd() }
        try await task.value
    }
}

@Suite("The file of a Unix socket")
struct SocketFileTests {
    /// How many bytes the names of a folder and of a socket in it have, and whether the system has room for that.
    static let lengths: [(folder: Int, name: Int, isPossible: Bool)] = [
        (10, 10, true), (200, 10, true), (200, 80, true), (10, 107, false), (10, 108, false), (10, 200, false),
        (200, 200, false),
    ]

    @Test("A name that an address has no room for is refused; that of its folder may be long", arguments: lengths)
    func length(_ folder: Int, _ name: Int, _ isPossible: Bool) throws {
        let root = NSTemporaryDirectory() + "skan-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let path = root + "/" + String(repeating: "f", count: folder) + "/" + String(repeating: "s", count: name)
        try FileManager.default.createDirectory(atPath: String(path.dropLast(name)), withIntermediateDirectories: true)
        guard !isPossible else {
            return try SocketFile.checkIsUnused(path)
        }
        let problem = #expect(throws: SocketError.self) { try SocketFile.checkIsUnused(path) }
        #expect(problem?.description == "the name of \(path) is too long for a socket")
        #expect(problem?.hint == "choose a shorter name")
    }
}
