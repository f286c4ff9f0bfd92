import AttributionListener
import Foundation
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@Suite("Requests answered in tasks", .timeLimit(.minutes(5)))
struct IngressTaskTests {
    /// Requests that are answered when a test says so, or when their task is cancelled.
    private final class Held: Sendable {
        let begun: AsyncStream<String>
        let cancelled: AsyncStream<String>
        private let onBegin: AsyncStream<String>.Continuation
        private let onCancel: AsyncStream<String>.Continuation
        private let waiting = Mutex<[AsyncStream<Never>.Continuation]>([])
        /// How long answers are; nil for the last element of the path.
        private let length: Int?

        init(length: Int? = nil) {
            self.length = length
            (begun, onBegin) = AsyncStream.makeStream()
            (cancelled, onCancel) = AsyncStream.makeStream()
        }

        func answer(_ request: IngressRequest) async -> IngressAnswer {
            let (wait, end) = AsyncStream<Never>.makeStream()
            waiting.withLock { $0.append(end) }
            onBegin.yield(request.target?.text ?? "")
            for await _ in wait {}
            if Task.isCancelled { onCancel.yield(request.target?.text ?? "") }
            let name = Array((request.target?.lastElement ?? "").utf8)
            return IngressAnswer(
                status: 200, body: length.map { Array(repeating: UInt8(ascii: "a"), count: $0) } ?? name)
        }

        func open() {
            waiting.withLock { $0 }.forEach { $0.finish() }
        }
    }

    private static let routes = IngressRoutes(
        [
            IngressRoute("/ends/{name}", method: .get, answersHead: true, mediaType: nil, endsWithClient: true),
            IngressRoute("/stays", method: .get, mediaType: nil), IngressRoute("/stays", mediaType: .form),
        ], keepsTargets: true, requireMediaType: true)

    private static func run(
        _ held: Held, _ limits: IngressLimits = IngressLimits(),
        _ body: (_ port: Int, _ services: ServiceGroup) async throws -> Void
    ) async throws {
        let (ports, bound) = AsyncStream<Int>.makeStream()
        let ingress = Ingress(
            address: .port(host: "127.0.0.1", port: 0), routes: routes, limits: limits, logger: .silent,
            now: { Date() }, onListening: { address in _ = address.port.map { bound.yield($0) } },
            makeHandler: { _ in .task { await held.answer($0) } })
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [.init(service: ingress)], logger: .silent))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { bound.finish() }
                try await services.run()
            }
            for await port in ports {
                try await body(port, services)
                break
            }
            held.open()
            await services.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private static func get(_ path: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    @Test("The work for an answer ends with its client where the route says so, and only there")
    func hangUp() async throws {
        let held = Held()
        try await Self.run(held) { port, _ in
            for path in ["/stays", "/ends/a?b=c"] {
                let client = try await blocking {
                    let client = try RawClient(port: port)
                    client.send(Self.get(path))
                    return client
                }
                for await begun in held.begun {
                    #expect(begun == path)
                    break
                }
                client.closeSending()
            }
            for await path in held.cancelled {
                #expect(path == "/ends/a?b=c")
                break
            }
        }
    }

    @Test("At a stop the request of a patient client is answered, and cancelling ends it", arguments: [true, false])
    func stop(_ isAnswered: Bool) async throws {
        var limits = IngressLimits()
        limits.stopDeadline = .milliseconds(50)
        limits.finishesAnswers = isAnswered
        let held = Held()
        try await Self.run(held, limits) { port, services in
            let (client, other) = try await blocking {
                let clients = try (RawClient(port: port), RawClient(port: port))
                clients.0.send(Self.get("/ends/a"))
                // Half a request is not waited for.
                clients.1.send("GET")
                return clients
            }
            for await _ in held.begun { break }
            await services.triggerGracefulShutdown()
            try await blocking { try other.waitForEnd() }
            if isAnswered {
                held.open()
                #expect(try await blocking { try client.answer().body } == "a")
            } else {
                for await _ in held.cancelled { break }
                try await blocking { try client.waitForEnd() }
            }
        }
    }

    @Test("A client that takes a large answer gets all of it while the server stops")
    func download() async throws {
        var limits = IngressLimits()
        limits.stopDeadline = .milliseconds(1)
        limits.finishesAnswers = true
        // Far beyond what a busy machine takes.
        (limits.stopPause, limits.writeDeadline) = (.seconds(60), .seconds(60))
        let length = 64 << 20
        let held = Held(length: length)
        try await Self.run(held, limits) { port, services in
            let client = try await blocking {
                let client = try RawClient(port: port, receiveBuffer: 4_096)
                client.send(Self.get("/ends/a"))
                return client
            }
            for await _ in held.begun { break }
            await services.triggerGracefulShutdown()
            held.open()
            #expect(try await blocking { try client.answer().body.utf8.count } == length)
        }
    }

    @Test("A path has its own methods and media types, and an element in braces stands for any but none")
    func routing() async throws {
        let held = Held()
        held.open()
        let rows: [(String, Int, String?)] = [
            ("GET /ends/a", 200, nil), ("HEAD /ends/a", 200, nil), ("GET http://localhost/ends/a?b", 200, nil),
            ("GET /ends/", 404, nil), ("GET /ends", 404, nil), ("GET /ends/a/b", 404, nil), ("GET /ends//", 404, nil),
            ("POST /ends/a", 405, "GET, HEAD"), ("PUT /stays/", 405, "GET, POST"), ("GET /stays/", 200, nil),
            ("POST /stays", 415, nil),
        ]
        try await Self.run(held) { port, _ in
            let task = Task { for await _ in held.begun { held.open() } }
            defer { task.cancel() }
            try await blocking {
                let client = try RawClient(port: port)
                for (request, status, allowed) in rows {
                    client.send("\(request) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    let answer = try client.answer(toHEAD: request.hasPrefix("HEAD"))
                    #expect(answer.status == status, "\(request)")
                    #expect(answer.fields["allow"] == allowed, "\(request)")
                }
            }
        }
    }
}
