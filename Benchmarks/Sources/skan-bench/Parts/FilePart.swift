/// `skan verify` over a large file, on both cores: the whole process, from its start to its end.
struct FilePart: BenchmarkPart {
    let name = "file"
    let summary = "skan verify over a file of a million postbacks, both cores"

    func run(_ bench: Bench) throws {
        let count = bench.options.fileRows
        let file = bench.workspace.file("postbacks.ndjson")
        try bench.workspace.demand(bytes: count * 1_000, for: "a file of \(count.shown) postbacks")
        defer { bench.workspace.remove(file) }
        try bench.pool.writeBodies(count, to: file)
        let reference = try bench.reference().verificationsPerSecond
        let errors = bench.workspace.file("errors")
        let ending = try ChildProcess(
            [bench.options.skan, "verify"] + bench.keys.trust + [file], on: Core.both, in: bench.workspace,
            errors: errors
        ).wait(atMost: 600)
        guard ending.status == 0 else {
            throw BenchmarkFailure("skan verify: status \(ending.status), expected all postbacks to be valid")
        }
        let rate = Double(count) / ending.seconds
        bench.board.add(
            Figure(
                name: "`skan verify`, \(count.shown) postbacks, both cores ÷ `openssl` P-256 verify on one",
                measured: "\(rate.shown)/s",
                reference: "\(reference.shown)/s",
                value: rate / reference,
                bar: .atLeast(10),
                caveat: bench.caveat(count, bar: 1_000_000)))
    }
}
