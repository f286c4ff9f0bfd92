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
        tell(result, bench)
        bench.board.add(
            Figure(
                name: "overload: recorded without an answer, or answered without a record",
                measured: "\(recorded.shown) in the ledger",
                reference: "\(result.succeeded.shown) answered 200",
                value: Double(abs(recorded - result.succeeded)),
                bar: .exactly(0)))
        bench.board.add(
            Figure(
                name: "overload: answers other than 200 or 503",
                measured: "of \(answered(result).shown) sent",
                value: Double(result.failed),
                bar: .exactly(0)))
    }

    /// What reached the server, as against what was due.
    private func answered(_ result: LoadResult) -> Int {
        result.succeeded + result.refused + result.failed + result.disconnected
    }

    /// Says what became of everything that was due, and what this part cannot show.
    private func tell(_ result: LoadResult, _ bench: Bench) {
        let sent = answered(result)
        bench.board.note(
            """
            \(result.offered.shown) came due; \(sent.shown) knocked: \(result.succeeded.shown) answered 200, \
            \(result.refused.shown) answered 503, \(result.disconnected.shown) connections refused or never let in, \
            \(result.failed.shown) otherwise; \(result.givenUp.shown) were never sent, all \(Self.connections.shown) \
            connections being in use
            """)
        if result.refused == 0 {
            bench.board.note(
                """
                no 503: the server lets fewer connections in than bodies may wait for its writer, and takes one body of \
                each at a time; what is too much waits in its connection or is refused at the door
                """)
        }
        if let failure = result.firstFailure {
            bench.board.note("the first other answer: \(failure)")
        }
        bench.board.add(
            Figure(
                name: "overload, 3 × the peak rate due: sent to the server",
                measured: "\(sent.shown) sent, \(result.disconnected.shown) of them not let in",
                reference: "\(result.offered.shown) due",
                value: Double(sent) / Double(max(1, result.offered))))
    }
}
