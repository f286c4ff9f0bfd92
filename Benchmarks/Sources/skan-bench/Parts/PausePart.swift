/// The longest time in which a busy server answers nobody while its index in memory doubles.
struct PausePart: BenchmarkPart {
    let name = "pause"
    let summary = "the longest pause of the writer at full load while its index in memory doubles"

    func run(_ bench: Bench) throws {
        // A thousand parts of the index double at about 12 · 2ⁿ postbacks; one made for 10 · 2ⁿ has yet to.
        var unit = 4_096
        while 24 * unit <= bench.options.rows * 13 / 10 {
            unit *= 2
        }
        let rows = 10 * unit
        let load = try ServerLoad(bench, store: try bench.stores.store(holding: rows))
        defer { load.server.stop() }
        try load.warmUp()
        let probe = try SyncProbe(bench.workspace.file("probe"))
        let result = try load.run(
            LoadPlan(seconds: 900, limit: unit * 5 / 2), name: "from \(rows.shown) to \((rows + unit * 5 / 2).shown)")
        let sync = probe.stop()
        bench.board.add(
            Figure(
                name: "longest time without an answer, less the longest fdatasync beside it",
                measured: "\((result.longestGap * 1e3).shown) ms",
                reference: "\((sync * 1e3).shown) ms",
                value: max(0, result.longestGap - sync) * 1e3,
                unit: "ms",
                bar: .atMost(20),
                caveat: bench.caveat(rows)))
    }
}
