extension SigningPart {
    /// Bids and postbacks at the same time, in one process on one core: neither may hold up the other.
    func measureBesideIngest(_ key: NetworkKey, _ bench: Bench) throws {
        let pool = RequestPool(path: BidRequestMaker.path) { BidRequestMaker() }
        let store = bench.workspace.file("beside.sqlite")
        defer { bench.workspace.remove(store) }
        let signing = try ServerLoad(bench, store: store, .signing(pool), options: key.options)
        defer { signing.server.stop() }
        let ingest = try ServerLoad(
            bench, to: signing.server, .postbacks(bench.pool), expecting: bench.peakRate())
        try signing.warmUp()
        try ingest.warmUp()
        // What they share of the core is the same in both: half of one peak and a quarter of the other.
        let shares = [(bids: 0.5, postbacks: 0.25), (bids: 0.25, postbacks: 0.5)]
        var halves: [[LoadResult]] = [[], []]
        for round in 1...3 {
            // A shared machine becomes slower and faster: peaks of some minutes ago can be more than it can do now.
            let plan = LoadPlan(seconds: bench.options.seconds)
            let peaks = (
                bids: try signing.run(plan, name: "bids, nothing else, run \(round)").perSecond,
                postbacks: try ingest.run(plan, name: "postbacks, nothing else, run \(round)").perSecond
            )
            for (index, (bids, postbacks)) in shares.enumerated() {
                let name = "bids at \(bids.shown) and postbacks at \(postbacks.shown) of their peaks"
                let results = try signing.run(
                    LoadPlan(arrivals: .paced(perSecond: peaks.bids * bids), seconds: bench.options.seconds),
                    name: "\(name), bids, run \(round)", beside: ingest,
                    LoadPlan(arrivals: .paced(perSecond: peaks.postbacks * postbacks), seconds: bench.options.seconds),
                    otherName: "\(name), postbacks, run \(round)")
                halves[index].append(bids > postbacks ? results.own : results.other)
            }
        }
        for ((bids, postbacks), rounds) in zip(shares, halves) {
            let half = rounds.sorted { $0.latencies.p99 < $1.latencies.p99 }[1]
            bench.board.add(
                Figure(
                    name: bids > postbacks
                        ? "bids of 3 signatures, p99 at half of the peak, postbacks at a quarter beside them"
                        : "postbacks, p99 at half of the peak, bids at a quarter beside them",
                    measured: "\(half.perSecond.shown)/s, p50 \(half.latencies.p50.shown) ms",
                    value: half.latencies.p99,
                    unit: "ms",
                    bar: .atMost(5)))
        }
    }

    /// `skan sign --batch` over a large file, on both cores: the whole process, from its start to its end.
    func measureFile(_ key: NetworkKey, _ bench: Bench) throws {
        let count = bench.options.fileRows
        let orders = bench.workspace.file("orders.ndjson")
        try bench.workspace.demand(bytes: count * 1_000, for: "a file of \(count.shown) orders and their answers")
        let pool = RequestPool(path: ImpressionRequestMaker.path) { ImpressionRequestMaker() }
        let answers = bench.workspace.file("impressions.ndjson")
        defer {
            bench.workspace.remove(orders)
            bench.workspace.remove(answers)
        }
        try pool.writeBodies(count, to: orders)
        let errors = bench.workspace.file("errors")
        let before = try OpenSSLSpeed("ecdsap256", onBoth: true, in: bench.workspace).signaturesPerSecond
        let ending = try ChildProcess(
            [bench.options.skan, "sign", "--batch", orders, "--keys", key.list], on: Core.both, in: bench.workspace,
            output: answers, errors: errors
        ).wait(atMost: 600)
        let after = try OpenSSLSpeed("ecdsap256", onBoth: true, in: bench.workspace).signaturesPerSecond
        guard ending.status == 0 else {
            throw BenchmarkFailure("skan sign --batch: status \(ending.status), expected all orders to be signed")
        }
        let (rate, reference) = (Double(count) / ending.seconds, (before + after) / 2)
        bench.board.add(
            Figure(
                name: "`skan sign --batch`, \(count.shown) orders, both cores ÷ `openssl` P-256 sign on both",
                measured: "\(rate.shown)/s",
                reference: "\(reference.shown)/s",
                value: rate / reference,
                bar: .atLeast(0.65),
                caveat: bench.caveat(count, bar: 1_000_000)))
    }
}
