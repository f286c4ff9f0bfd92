/// A running server and the place in the pool up to which it has received everything.
final class ServerLoad {
    let server: Server
    private let bench: Bench
    private let workload: Workload
    private var sent = 0
    /// A store that other parts use too; empty for one of this load alone.
    private var sharedStore = ""
    /// The last rate seen, from which is told how many requests a phase may need.
    private var expectedRate: Double

    /// Starts a server on a store, to be sent postbacks unless another workload is given.
    init(
        _ bench: Bench, store: String, _ workload: Workload? = nil, options: [String] = [],
        on cores: String = "\(Core.server)"
    ) throws {
        self.bench = bench
        self.workload = workload ?? .postbacks(bench.pool)
        expectedRate = try bench.reference().verificationsPerSecond * 3
        if store.hasPrefix(bench.workspace.stores) {
            sharedStore = store
            sent = bench.stores.sent[store] ?? 0
        }
        server = try Server(
            skan: bench.options.skan, store: store, options: bench.keys.trust + options, on: cores,
            in: bench.workspace)
    }

    /// Sends another workload to a server that runs.
    init(_ bench: Bench, to server: Server, _ workload: Workload, expecting rate: Double) {
        self.bench = bench
        self.server = server
        self.workload = workload
        expectedRate = rate
    }

    /// One phase, in which every request must succeed; says its figures beside its result.
    func run(_ plan: LoadPlan, name: String) throws -> LoadResult {
        try Self.checked(offer(plan, name: name), name)
    }

    /// A phase of this load, and at the same time one of another on the same server; every request must succeed.
    func run(
        _ plan: LoadPlan, name: String, beside other: ServerLoad, _ otherPlan: LoadPlan, otherName: String
    ) throws -> (own: LoadResult, other: LoadResult) {
        let generators = [try generator(plan), try other.generator(otherPlan)]
        let before = try server.figures()
        let results = LoadGenerator.run(generators)
        let after = try server.figures()
        sent += results[0].used
        other.sent += results[1].used
        let share = (after.cpuSeconds - before.cpuSeconds) / max(results[0].seconds, 1e-3) * 100
        for (result, name) in zip(results, [name, otherName]) {
            bench.board.note(
                """
                \(name): \(result.succeeded.shown) done in \(result.seconds.shown) s = \(result.perSecond.shown)/s; \
                p50 \(result.latencies.p50.shown) ms, p99 \(result.latencies.p99.shown) ms; the server used \
                \(share.shown) % of a core for both
                """)
        }
        return (try Self.checked(results[0], name), try Self.checked(results[1], otherName))
    }

    private static func checked(_ result: LoadResult, _ name: String) throws -> LoadResult {
        guard result.succeeded > 0, result.failed + result.refused + result.disconnected == 0 else {
            throw BenchmarkFailure(
                """
                \(name): of \(result.offered) requests \(result.succeeded) did as asked, \(result.refused) answered \
                503, \(result.disconnected) cut off, \(result.failed) answered otherwise: \(result.firstFailure ?? "–")
                """)
        }
        return result
    }

    /// One phase, whatever becomes of its requests.
    func offer(_ plan: LoadPlan, name: String) throws -> LoadResult {
        let generator = try generator(plan)
        let before = try server.figures()
        let result = generator.run()
        let after = try server.figures()
        sent += result.used
        if !sharedStore.isEmpty {
            bench.stores.sent[sharedStore] = sent
        }
        if case .onAnswer = plan.arrivals, result.succeeded > 0, result.seconds > 0.1 {
            expectedRate = result.perSecond
        }
        let cpu = after.cpuSeconds - before.cpuSeconds
        bench.board.note(
            """
            \(name): \(result.succeeded.shown) done in \(result.seconds.shown) s = \(result.perSecond.shown)/s; \
            p50 \(result.latencies.p50.shown) ms, p99 \(result.latencies.p99.shown) ms, \
            max \(result.latencies.maximum.shown) ms; server CPU \
            \((cpu / Double(max(1, result.succeeded)) * 1e6).shown) µs each, \
            \((cpu / max(result.seconds, 1e-3) * 100).shown) % of a core; resident \(after.residentMegabytes.shown) MB
            """)
        return result
    }

    /// What sends the requests of a phase, made beforehand.
    private func generator(_ plan: LoadPlan) throws -> LoadGenerator {
        let rate =
            switch plan.arrivals {
            case .onAnswer: expectedRate * 1.5
            case .paced(let rate): rate
            // Only what is recorded is used up, a third of what is offered.
            case .flood(let rate): rate * 0.4
            }
        let wanted = min(plan.limit, Int(rate * plan.seconds) + plan.connections)
        try workload.pool.fill(to: sent + wanted)
        return try LoadGenerator(plan, workload, from: sent, port: server.port(of: workload.listener))
    }

    /// The most requests a second over 64 connections: of five phases the one in the middle; the best is told beside it.
    func peak(name: String) throws -> LoadResult {
        try warmUp()
        let results = try (1...5).map { try peakPhase($0, name: name) }.sorted { $0.perSecond < $1.perSecond }
        bench.board.note("\(name): median \(results[2].perSecond.shown)/s, best \(results[4].perSecond.shown)/s")
        return results[2]
    }

    /// The same, each phase between two runs of OpenSSL on the server's core: of five phases the one in the middle by its
    /// ratio, because a shared machine becomes slower and faster from one second to the next.
    ///
    /// `operation` is what OpenSSL does, and `count` how many of it a request asks for.
    func peak(
        name: String, against operation: KeyPath<OpenSSLSpeed, Double>, times count: Int = 1,
        sampleInterval: Int? = nil
    ) throws -> ComparedPhase {
        func reference() throws -> Double {
            try OpenSSLSpeed("ecdsap256", seconds: 1, in: bench.workspace)[keyPath: operation]
        }
        try warmUp()
        var before = try reference()
        let phases = try (1...5).map { round in
            let result = try peakPhase(round, name: name, sampleInterval: sampleInterval)
            let after = try reference()
            defer { before = after }
            return ComparedPhase(
                result: result, operationsPerSecond: result.perSecond * Double(count),
                reference: (before + after) / 2)
        }.sorted { $0.ratio < $1.ratio }
        bench.board.note(
            "\(name): ratios to OpenSSL just before and after \(phases.map(\.ratio.shown).joined(separator: ", "))")
        return phases[2]
    }

    private func peakPhase(_ round: Int, name: String, sampleInterval: Int? = nil) throws -> LoadResult {
        try run(
            LoadPlan(seconds: bench.options.seconds, sampleInterval: sampleInterval),
            name: "\(name), 64 connections, run \(round)")
    }

    /// Half of a peak rate, each request sent when it is due: of three phases the middle one by its p99, so that one
    /// stall of the machine neither makes nor spoils the figure.
    func half(ofPeak rate: Double, name: String) throws -> LoadResult {
        let results = try (1...3).map { round in
            try run(
                LoadPlan(arrivals: .paced(perSecond: rate / 2), seconds: bench.options.seconds),
                name: "\(name), half of the peak rate, run \(round)")
        }
        return results.sorted { $0.latencies.p99 < $1.latencies.p99 }[1]
    }

    /// Fills caches and builds what is built on first use, unmeasured.
    func warmUp() throws {
        _ = try run(LoadPlan(seconds: 1), name: "warm-up, 64 connections")
    }
}
