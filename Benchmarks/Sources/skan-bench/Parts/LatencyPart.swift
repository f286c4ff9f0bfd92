/// Answer times: at half of the peak rate, one after the other, and with many connections at once.
struct LatencyPart: BenchmarkPart {
    let name = "latency"
    let summary = "answer times at half of the peak rate, counted from when each request was due"

    func run(_ bench: Bench) throws {
        let seconds = bench.options.seconds
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
        try measureBesideReports(ofPeak: peak, bench)
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

    /// The same on a full store, while somebody asks for a report every second.
    private func measureBesideReports(ofPeak peak: Double, _ bench: Bench) throws {
        let rows = bench.options.rows
        let load = try ServerLoad(bench, store: try bench.stores.store(holding: rows))
        defer { load.server.stop() }
        try load.warmUp()
        let quiet = try load.half(ofPeak: peak, name: "\(rows.shown) stored")
        let poller = ReportPoller(load.server)
        let half = try load.half(ofPeak: peak, name: "\(rows.shown) stored, a report every second")
        let reports = try poller.stop()
        bench.board.add(
            Figure(
                name: "ingest, p99 at half of the peak rate, \(rows.shown) stored, a report every second",
                measured: "\(half.perSecond.shown)/s, p50 \(half.latencies.p50.shown) ms, \(reports.count) reports of "
                    + "\(reports.median.shown) s",
                reference: "without reports \(quiet.latencies.p99.shown) ms",
                value: half.latencies.p99,
                unit: "ms",
                bar: .atMost(10),
                caveat: bench.caveat(rows)))
    }
}
