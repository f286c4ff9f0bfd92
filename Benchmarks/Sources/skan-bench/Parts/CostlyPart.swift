/// What the dearest bodies within the limits cost the server, over HTTP, beside a genuine postback.
struct CostlyPart: BenchmarkPart {
    let name = "costly"
    let summary = "CPU of the server for bodies made to be dear ÷ for a genuine postback"

    /// Requests of a phase: of 16 KiB each, ten thousand are 160 MB.
    private static let requests = 10_000

    func run(_ bench: Bench) throws {
        let genuine = try microseconds(.postbacks(bench.pool), "genuine postbacks", bench)
        var dearest = (name: "", cost: 0.0)
        for body in CostlyBody.all {
            let pool = RequestPool(path: "/skadnetwork/postbacks") { RepeatedBody(bytes: body.bytes) }
            let workload = Workload(pool: pool, listener: .ingress, success: #""status":"quarantined""#)
            let cost = try microseconds(workload, body.name, bench)
            bench.board.note(
                "\(body.name), \(body.bytes.count.shown) bytes: \((cost / genuine).shown) × a genuine postback")
            if cost > dearest.cost {
                dearest = (body.name, cost)
            }
        }
        bench.board.add(
            Figure(
                name: "the dearest body (\(dearest.name)) ÷ a genuine postback, CPU of the server",
                measured: "\(dearest.cost.shown) µs",
                reference: "\(genuine.shown) µs",
                value: dearest.cost / genuine,
                bar: .atMost(10)))
    }

    /// CPU of the server a request, the median of three phases.
    private func microseconds(_ workload: Workload, _ name: String, _ bench: Bench) throws -> Double {
        let store = bench.workspace.file("costly.sqlite")
        defer { bench.workspace.remove(store) }
        let load = try ServerLoad(bench, store: store, workload)
        defer { load.server.stop() }
        _ = try load.run(LoadPlan(seconds: 1, limit: Self.requests / 10), name: "warm-up: \(name)")
        let costs = try (1...3).map { round in
            let before = try load.server.figures().cpuSeconds
            let result = try load.run(
                LoadPlan(seconds: 5, limit: Self.requests), name: "\(name), run \(round)")
            return (try load.server.figures().cpuSeconds - before) / Double(max(1, result.succeeded)) * 1e6
        }
        return costs.sorted()[1]
    }
}

/// The same body again and again.
private struct RepeatedBody: RequestMaker {
    let bytes: [UInt8]

    mutating func nextBody() throws -> [UInt8] {
        bytes
    }
}
