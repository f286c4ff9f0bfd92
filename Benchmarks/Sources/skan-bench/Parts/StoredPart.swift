/// What stored postbacks cost: the rate with none, a million and ten million of them, the restart, the memory.
struct StoredPart: BenchmarkPart {
    let name = "stored"
    let summary = "ingest with 0, 1 and 10 million stored, in turns; restart; memory"

    private static let rounds = 3
    private static let middleRows = 1_000_000 / StorePreload.step * StorePreload.step

    func run(_ bench: Bench) throws {
        let rows = bench.options.rows
        let empty = bench.workspace.file("empty.sqlite")
        defer { bench.workspace.remove(empty) }
        let full = try restart(try bench.stores.store(holding: rows), bench)
        var loads = [(rows: 0, load: try ServerLoad(bench, store: empty))]
        if rows > Self.middleRows {
            let store = try bench.stores.store(holding: Self.middleRows)
            loads.append((Self.middleRows, try ServerLoad(bench, store: store)))
        }
        loads.append((rows, full))
        defer { loads.forEach { $0.load.server.stop() } }
        try loads.forEach { try $0.load.warmUp() }
        try full.server.resetPeak()
        var rates = Array(repeating: [Double](), count: loads.count)
        // In turns, so that what slows the machine for a while slows all of them.
        for round in 1...Self.rounds {
            for (index, (rows, load)) in loads.enumerated() {
                let result = try load.run(
                    LoadPlan(seconds: bench.options.seconds), name: "\(rows.shown) stored, run \(round)")
                rates[index].append(result.perSecond)
            }
        }
        let memory = try full.server.figures().peakMegabytes
        report(zip(loads, rates).map { ($0.rows, $1.median) }, memory: memory, bench)
    }

    /// Starts a server on a full store three times; it is ready when it has recorded a postback.
    private func restart(_ store: String, _ bench: Bench) throws -> ServerLoad {
        try bench.pool.fill(to: Self.rounds)
        let rows = bench.options.rows
        var times: [Double] = []
        func start() throws -> ServerLoad {
            let load = try ServerLoad(bench, store: store)
            _ = try load.run(LoadPlan(connections: 1, seconds: 10, limit: 1), name: "the first postback")
            times.append(load.server.stopwatch.seconds)
            return load
        }
        for _ in 1..<Self.rounds {
            try start().server.stop()
        }
        let load = try start()
        bench.board.add(
            Figure(
                name: "restart with \(rows.shown) stored, until a postback is recorded",
                measured: times.map { "\($0.shown) s" }.joined(separator: ", "),
                value: times.median,
                unit: "s",
                bar: .atMost(2),
                caveat: bench.caveat(rows)))
        return load
    }

    private func report(_ rates: [(rows: Int, perSecond: Double)], memory: Double, _ bench: Bench) {
        let empty = rates[0].perSecond
        for (rows, rate) in rates.dropFirst() {
            let isFull = rows == bench.options.rows
            bench.board.add(
                Figure(
                    name: "durable ingest, \(rows.shown) stored ÷ none stored",
                    measured: "\(rate.shown)/s",
                    reference: "\(empty.shown)/s",
                    value: rate / empty,
                    bar: isFull ? .atLeast(0.9) : nil,
                    caveat: isFull ? bench.caveat(rows) : ""))
        }
        bench.board.add(
            Figure(
                name: "memory of the server at full load, \(bench.options.rows.shown) stored",
                measured: "VmHWM",
                value: memory,
                unit: "MB",
                bar: .atMost(450),
                caveat: bench.caveat(bench.options.rows)))
    }
}
