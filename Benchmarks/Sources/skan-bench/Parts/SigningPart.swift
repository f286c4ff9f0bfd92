/// The signing API over HTTP: its rate with the server on both cores, of which the load generator takes a share, and its
/// answer times with the server on one core and the generator on the other, where the generator delays nobody.
struct SigningPart: BenchmarkPart {
    let name = "signing"
    let summary = "the signing API over HTTP: bids of three signatures, and single impressions"

    /// One of so many answers has its signatures verified.
    private static let sampleInterval = 100

    func run(_ bench: Bench) throws {
        let key = try NetworkKey(skan: bench.options.skan, in: bench.workspace)
        try measure(
            BidRequestMaker.self, key, name: "signing API, bids of 3 signatures", bar: .atLeast(0.4),
            p99: .atMost(5), bench)
        try measure(
            ImpressionRequestMaker.self, key, name: "signing API, 1 signature a request",
            bar: nil, p99: nil, bench)
    }

    private func measure<Maker: SigningRequestMaker>(
        _ maker: Maker.Type, _ key: NetworkKey, name: String, bar: Figure.Bar?, p99: Figure.Bar?, _ bench: Bench
    ) throws {
        let pool = RequestPool(path: Maker.path) { Maker() }
        let peak = try serve(pool, key, on: Core.both, bench) { load in
            try load.peak(name: "\(Maker.path) on both cores", sampleInterval: Self.sampleInterval)
        }
        let verified = try verify(peak.samples, of: pool, maker, key)
        bench.board.note("\(verified.shown) signatures of the middle run verified by OpenSSL, all nonces different")
        let reference = try bench.reference().signaturesPerSecond
        let signatures = peak.perSecond * Double(Maker.signatureCount)
        bench.board.add(
            Figure(
                name: "\(name) ÷ `openssl` P-256 sign",
                measured: "\(signatures.shown) signatures/s, \(peak.perSecond.shown) requests/s",
                reference: "\(reference.shown)/s",
                value: signatures / reference,
                bar: bar))
        let (single, half) = try serve(pool, key, on: "\(Core.server)", bench) { load in
            let single = try load.peak(name: "\(Maker.path) on one core", sampleInterval: Self.sampleInterval)
            return (single, try load.half(ofPeak: single.perSecond, name: Maker.path))
        }
        bench.board.add(
            Figure(
                name: "\(name), server on one core, p99 at half of its peak rate",
                measured: "\(half.perSecond.shown) of \(single.perSecond.shown) requests/s, "
                    + "p50 \(half.latencies.p50.shown) ms",
                value: half.latencies.p99,
                unit: "ms",
                bar: p99))
    }

    private func serve<Result>(
        _ pool: RequestPool, _ key: NetworkKey, on cores: String, _ bench: Bench, _ use: (ServerLoad) throws -> Result
    ) throws -> Result {
        let store = bench.workspace.file("signing.sqlite")
        defer { bench.workspace.remove(store) }
        let load = try ServerLoad(bench, store: store, .signing(pool), options: key.options, on: cores)
        defer { load.server.stop() }
        return try use(load)
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
