/// The standard report over a small store and over a full one: the whole command.
struct ReportPart: BenchmarkPart {
    let name = "report"
    let summary = "the standard report over ten million postbacks and over a hundred thousand"

    private static let smallRows = 100_000

    func run(_ bench: Bench) throws {
        let rows = bench.options.rows
        let small = try seconds(over: try bench.stores.store(holding: Self.smallRows), bench)
        let full = try seconds(over: try bench.stores.store(holding: rows), bench)
        bench.board.add(
            Figure(
                name: "`skan report`, \(rows.shown) stored ÷ \(Self.smallRows.shown) stored, time",
                measured: "\((full * 1000).shown) ms",
                reference: "\((small * 1000).shown) ms",
                value: full / small,
                bar: .atMost(2),
                caveat: bench.caveat(rows, bar: 10_000_000)))
    }

    /// The median of seven runs after one that fills the caches.
    private func seconds(over store: String, _ bench: Bench) throws -> Double {
        let times = try (0..<8).map { _ in
            let ending = try ChildProcess(
                [bench.options.skan, "report", "--store", store, "--test"], on: Core.both, in: bench.workspace
            ).wait(atMost: 120)
            guard ending.status == 0 else {
                throw BenchmarkFailure("skan report: status \(ending.status)")
            }
            return ending.seconds
        }
        return Array(times.dropFirst()).median
    }
}
