/// Answer times: at half of the peak rate, one after the other, and with many connections at once.
struct LatencyPart: BenchmarkPart {
    let name = "latency"
    let summary = "answer times at half of the peak rate, counted from when each request was due"

    func run(_ bench: Bench) throws {
        let seconds = bench.options.seconds
        bench.board.note(try Interruptions.watch(seconds: seconds).description)
        let peak = try bench.peakRate()
        let store = bench.workspace.file("latency.sqlite")
        defer { bench.workspace.remove(store) }
        let load = try ServerLoad(bench, store: store)
        defer { load.server.stop() }
        try load.warmUp()
        let half = try load.half(ofPeak: peak, name: "ingest")
        bench.board.add(
            Figure(
                name: "ingest, p99 at half of the peak rate",
                measured: "\(half.perSecond.shown)/s, p50 \(half.latencies.p50.shown) ms",
                reference: "peak \(peak.shown)/s",
                value: half.latencies.p99,
                unit: "ms",
                bar: .atMost(10)))
        try measureBesideReaders(ofPeak: peak, bench)
        let alone = try load.run(LoadPlan(connections: 1, seconds: min(2, seconds)), name: "1 connection")
        bench.board.add(
            Figure(
                name: "ingest, p50 of one postback after the other",
                measured: "\(alone.perSecond.shown)/s",
                value: alone.latencies.p50,
                unit: "ms"))
        let many = try load.run(LoadPlan(connections: 256, seconds: seconds), name: "256 connections")
        bench.board.add(
            Figure(
                name: "ingest, p99 of 256 connections, as fast as it goes",
                measured: "\(many.perSecond.shown)/s",
                value: many.latencies.p99,
                unit: "ms"))
    }

    /// The same on a full store, while somebody asks for a report, or looks at the first page, every second.
    private func measureBesideReaders(ofPeak peak: Double, _ bench: Bench) throws {
        let rows = bench.options.rows
        let load = try ServerLoad(bench, store: try bench.stores.store(holding: rows))
        defer { load.server.stop() }
        try load.warmUp()
        let quiet = try load.half(ofPeak: peak, name: "\(rows.shown) stored")
        for (what, path) in [("a report", ReportQuestion.standard.path), ("the first page", "/")] {
            let poller = ReportPoller(load.server, path: path)
            let half = try load.half(ofPeak: peak, name: "\(rows.shown) stored, \(what) every second")
            let seconds = try poller.stop()
            bench.board.add(
                Figure(
                    name: "ingest, p99 at half of the peak rate, \(rows.shown) stored, \(what) every second",
                    measured: "\(half.perSecond.shown)/s, p50 \(half.latencies.p50.shown) ms, \(seconds.count) times "
                        + "in \(seconds.median.shown) s",
                    reference: "alone \(quiet.latencies.p99.shown) ms",
                    value: half.latencies.p99,
                    unit: "ms",
                    bar: .atMost(10),
                    caveat: bench.caveat(rows)))
        }
        try measurePeakBesidePage(load, rows: rows, bench)
    }

    /// The rate while somebody looks at the first page every second, in turns with the rate without.
    private func measurePeakBesidePage(_ load: ServerLoad, rows: Int, _ bench: Bench) throws {
        let plan = LoadPlan(connections: 64, seconds: bench.options.seconds)
        var (alone, beside): ([Double], [Double]) = ([], [])
        for _ in 1...3 {
            alone.append(try load.run(plan, name: "\(rows.shown) stored, 64 connections").perSecond)
            let poller = ReportPoller(load.server, path: "/")
            beside.append(try load.run(plan, name: "\(rows.shown) stored, the first page every second").perSecond)
            _ = try poller.stop()
        }
        bench.board.add(
            Figure(
                name: "ingest with the first page every second ÷ without, \(rows.shown) stored",
                measured: "\(beside.median.shown)/s",
                reference: "\(alone.median.shown)/s",
                value: beside.median / alone.median,
                caveat: bench.caveat(rows)))
    }
}
