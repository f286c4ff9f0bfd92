/// The signing listener over HTTP, the server on one core and the load generator on the other, each phase between two
/// runs of OpenSSL on the server's core; and answer times at half of the peak.
struct SigningPart: BenchmarkPart {
    let name = "signing"
    let summary = "the signing listener over HTTP: bids and single impressions, also beside ingest; a file of orders"

    /// One of so many answers has its signatures verified.
    private static let sampleInterval = 100

    func run(_ bench: Bench) throws {
        let key = try NetworkKey(skan: bench.options.skan, in: bench.workspace)
        let go = try GoSigner(in: bench.workspace)
        if go == nil {
            bench.board.note("no server in Go beside it: there is no Go (apt-get install golang-go)")
        }
        try measure(
            BidRequestMaker.self, key, go, name: "signing, bids of 3 signatures", bar: .atLeast(0.55), bench)
        try measure(
            ImpressionRequestMaker.self, key, go, name: "signing, 1 signature a request", bar: .atLeast(0.5), bench)
        try measureBesideIngest(key, bench)
        try measureFile(key, bench)
    }

    private func measure<Maker: SigningRequestMaker>(
        _ maker: Maker.Type, _ key: NetworkKey, _ go: GoSigner?, name: String, bar: Figure.Bar, _ bench: Bench
    ) throws {
        let pool = RequestPool(path: Maker.path) { Maker() }
        let store = bench.workspace.file("signing.sqlite")
        defer { bench.workspace.remove(store) }
        let load = try ServerLoad(bench, store: store, .signing(pool), options: key.options)
        let peak = try load.peak(
            name: Maker.path, against: \.signaturesPerSecond, times: Maker.signatureCount,
            sampleInterval: Self.sampleInterval)
        let verified = try verify(peak.result.samples, of: pool, maker, key)
        bench.board.note("\(verified.shown) signatures of the middle run verified by OpenSSL, all nonces different")
        bench.board.add(
            Figure(
                name: "\(name) ÷ `openssl` P-256 sign, one core each",
                measured: "\(peak.operationsPerSecond.shown) signatures/s, \(peak.result.perSecond.shown) requests/s",
                reference: "\(peak.reference.shown)/s",
                value: peak.ratio,
                bar: bar))
        let half = try load.half(ofPeak: peak.result.perSecond, name: Maker.path)
        bench.board.add(
            Figure(
                name: "\(name), p99 at half of its peak rate",
                measured: "\(half.perSecond.shown) of \(peak.result.perSecond.shown) requests/s, "
                    + "p50 \(half.latencies.p50.shown) ms",
                value: half.latencies.p99,
                unit: "ms",
                bar: .atMost(3)))
        load.server.stop()
        guard let go else { return }
        let server = try go.serve(on: "\(Core.server)", in: bench.workspace)
        defer { server.stop() }
        let beside = try ServerLoad(bench, to: server, .signing(pool), expecting: peak.result.perSecond).peak(
            name: "\(Maker.path), server in Go", against: \.signaturesPerSecond, times: Maker.signatureCount)
        bench.board.note(
            """
            \(name): a small server in Go signs \(beside.operationsPerSecond.shown)/s, \
            \(beside.ratio.shown) of `openssl` on the same core
            """)
    }

    /// Has OpenSSL verify every signature of some answers, over texts put together from the requests.
    private func verify<Maker: SigningRequestMaker>(
        _ samples: [SampledAnswer], of pool: RequestPool, _ maker: Maker.Type, _ key: NetworkKey
    ) throws -> Int {
        let key = try SigningKey(pem: key.pem)
        var nonces: Set<String> = []
        for sample in samples {
            let signatures = try Maker.signatures(in: sample.body, to: pool.body(sample.request))
            guard signatures.count == Maker.signatureCount,
                try signatures.allSatisfy({ try key.verifies($0.signature, for: $0.text) }),
                signatures.allSatisfy({ nonces.insert($0.nonce).inserted })
            else {
                throw BenchmarkFailure(
                    """
                    expected \(Maker.signatureCount) valid signatures with nonces of their own in the answer \
                    \(String(decoding: sample.body, as: UTF8.self))
                    """)
            }
        }
        guard !nonces.isEmpty else {
            throw BenchmarkFailure("no answer was sampled")
        }
        return nonces.count
    }
}
