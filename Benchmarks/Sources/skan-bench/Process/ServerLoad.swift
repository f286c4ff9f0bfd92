/// A running server and the place in the pool up to which it has received everything.
final class ServerLoad {
    let server: Server
    private let bench: Bench
    private var sent = 0
    /// The last rate seen, from which is told how many requests a phase may need.
    private var expectedRate: Double

    init(_ bench: Bench, store: String) throws {
        self.bench = bench
        expectedRate = try bench.reference().verificationsPerSecond * 3
        server = try Server(skan: bench.options.skan, store: store, keys: bench.keys, in: bench.workspace)
    }

    /// One phase, in which every request must succeed; says its figures beside its result.
    func run(_ plan: LoadPlan, name: String) throws -> LoadResult {
        let result = try offer(plan, name: name)
        guard result.succeeded > 0, result.failed + result.refused + result.disconnected == 0 else {
            throw BenchmarkFailure(
                """
                \(name): of \(result.offered) requests \(result.succeeded) were recorded, \(result.refused) answered \
                503, \(result.disconnected) cut off, \(result.failed) answered otherwise: \(result.firstFailure ?? "–")
                """)
        }
        return result
    }

    /// One phase, whatever becomes of its requests.
    func offer(_ plan: LoadPlan, name: String) throws -> LoadResult {
        let rate =
            switch plan.arrivals {
            case .onAnswer: expectedRate * 1.5
            case .paced(let rate): rate
            // Only what is recorded is used up, a third of what is offered.
            case .flood(let rate): rate * 0.4
            }
        let wanted = min(plan.limit, Int(rate * plan.seconds) + plan.connections)
        try bench.pool.fill(to: sent + wanted)
        let before = try server.figures()
        let result = try LoadGenerator(plan, pool: bench.pool, from: sent, port: server.port).run()
        let after = try server.figures()
        sent += result.used
        if case .onAnswer = plan.arrivals, result.succeeded > 0, result.seconds > 0.1 {
            expectedRate = result.perSecond
        }
        let cpu = after.cpuSeconds - before.cpuSeconds
        bench.board.note(
            """
            \(name): \(result.succeeded.shown) recorded in \(result.seconds.shown) s = \(result.perSecond.shown)/s; \
            p50 \(result.latencies.p50.shown) ms, p99 \(result.latencies.p99.shown) ms, \
            max \(result.latencies.maximum.shown) ms; server CPU \
            \((cpu / Double(max(1, result.succeeded)) * 1e6).shown) µs each, \
            \((cpu / result.seconds * 100).shown) % of its core; resident \(after.residentMegabytes.shown) MB
            """)
        return result
    }

    /// Fills caches and builds what is built on first use, unmeasured.
    func warmUp() throws {
        _ = try run(LoadPlan(seconds: 1), name: "warm-up, 64 connections")
    }
}
