import AttributionConsole
import Synchronization
import Testing

@Suite("Jobs that take turns")
struct JobQueueTests {
    /// The jobs in the order in which they ran.
    private final class Order: Sendable {
        private let names = Mutex<[String]>([])

        func note(_ name: String) {
            names.withLock { $0.append(name) }
        }

        var all: [String] {
            names.withLock { $0 }
        }
    }

    @Test("Tokens whose lines are full take turns, and a full line refuses its own token alone")
    func fair() async throws {
        let queue = JobQueue()
        let order = Order()
        let (held, release) = AsyncStream<Never>.makeStream()
        let (begun, onBegin) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await queue.run(for: "greedy") {
                    onBegin.yield()
                    for await _ in held {}
                }
            }
            for await _ in begun { break }
            for token in ["greedy", "admin"] {
                let (refused, onRefusal) = AsyncStream<Void>.makeStream()
                for _ in 0...JobQueue.reports {
                    group.addTask {
                        do {
                            try await queue.run(for: token) { order.note(token) }
                        } catch {
                            onRefusal.yield()
                        }
                    }
                }
                // As many wait as may, and one more is refused.
                for await _ in refused { break }
            }
            release.finish()
            try await group.waitForAll()
        }
        #expect(order.all == Array(repeating: ["greedy", "admin"], count: JobQueue.reports).flatMap(\.self))
    }
}
