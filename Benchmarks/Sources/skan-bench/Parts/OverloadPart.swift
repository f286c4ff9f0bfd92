/// Three times what the server can take: whatever is answered 200 must be in the store, the rest must have been refused.
struct OverloadPart: BenchmarkPart {
    let name = "overload"
    let summary = "offers three times the peak rate, and counts answers against the ledger"

    /// More than the server lets in at once.
    private static let connections = 6_000

    func run(_ bench: Bench) throws {
        let rate = try bench.peakRate() * 3
        let store = bench.workspace.file("overload.sqlite")
        defer { bench.workspace.remove(store) }
        let load = try ServerLoad(bench, store: store)
        defer { load.server.stop() }
        let plan = LoadPlan(
            arrivals: .flood(perSecond: rate), connections: Self.connections, seconds: bench.options.overloadSeconds)
        let result = try load.offer(plan, name: "three times the peak rate")
        load.server.stop()
        let tool = SQLiteTool(store: store, workspace: bench.workspace)
        let recorded = try tool.number("SELECT count(*) FROM postback;")
        bench.board.note(
            """
            offered \((Double(result.offered) / min(plan.seconds, result.seconds)).shown)/s: \(result.succeeded.shown) answered 200, \
            \(result.refused.shown) answered 503, \(result.disconnected.shown) connections refused, \
            \(result.givenUp.shown) found every connection waiting
            """)
        if let failure = result.firstFailure {
            bench.board.note("the first other answer: \(failure)")
        }
        bench.board.add(
            Figure(
                name:
                    "overload, \(rate.shown)/s for \(plan.seconds.shown) s: recorded without an answer, or answered without a record",
                measured: "\(recorded.shown) in the ledger",
                reference: "\(result.succeeded.shown) answered 200",
                value: Double(abs(recorded - result.succeeded)),
                bar: .exactly(0)))
        bench.board.add(
            Figure(
                name: "overload: answers other than 200, 503 or a refused connection",
                measured: "of \(result.offered.shown) offered",
                value: Double(result.failed),
                bar: .exactly(0)))
    }
}
