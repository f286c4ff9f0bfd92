import Attribution
import AttributionHTTP
import Logging
import ServiceLifecycle
import Synchronization

/// An ingress at work on a free port, whose handler answers by what the body says.
struct TestIngress {
    let port: Int
    let group: ServiceGroup

    /// Runs `body` beside an ingress and then stops it.
    static func run<Result: Sendable>(
        _ limits: IngressLimits = IngressLimits(),
        _ body: @Sendable @escaping (TestIngress) async throws -> Result
    ) async throws -> Result {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let held = Held()
        let ingress = Ingress(
            host: "127.0.0.1", port: 0, limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            now: { 0 }, onListening: { listening.yield($0) }
        ) { request, answer in
            let text = String(decoding: request.body, as: UTF8.self)
            let reply = IngressAnswer(
                status: 200, body: .object(["route": .string(request.route.rawValue), "body": .string(text)]))
            if text == "hold" {
                held.answers.withLock { $0.append { answer(reply) } }
            } else if text == "release" {
                let answers = held.answers.withLock { answers in
                    defer { answers = [] }
                    return answers
                }
                answers.forEach { $0() }
                answer(reply)
            } else {
                answer(reply)
            }
        }
        let group = ServiceGroup(services: [ingress], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            guard let port = await iterator.next() else {
                throw CancellationError()
            }
            let result = try await body(TestIngress(port: port, group: group))
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }

    /// Requests whose answers wait until another request releases them.
    private final class Held: Sendable {
        let answers = Mutex<[@Sendable () -> Void]>([])
    }
}
