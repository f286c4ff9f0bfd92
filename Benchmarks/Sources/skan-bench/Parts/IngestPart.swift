/// Durable ingest over HTTP: the server on one core, the load generator on the other.
struct IngestPart: BenchmarkPart {
    let name = "ingest"
    let summary = "durable ingest over HTTP into an empty store"

    func run(_ bench: Bench) throws {
        let peak = try bench.peakRate()
        let reference = try bench.reference().verificationsPerSecond
        bench.board.add(
            Figure(
                name: "durable ingest over HTTP, server on one core ÷ `openssl` P-256 verify",
                measured: "\(peak.shown)/s",
                reference: "\(reference.shown)/s",
                value: peak / reference,
                bar: .atLeast(2.2)))
        let mixed = try mixedRate(bench)
        bench.board.add(
            Figure(
                name: "the same, one postback in four of AdAttributionKit",
                measured: "\(mixed.shown)/s",
                reference: "\(reference.shown)/s",
                value: mixed / reference))
    }

    private func mixedRate(_ bench: Bench) throws -> Double {
        let pool = RequestPool(path: "/adattributionkit/postbacks") { [pem = bench.keys.p256] in
            MixedPostbackMaker(key: try SigningKey(pem: pem))
        }
        return try bench.peakRate(of: .postbacks(pool), name: "one in four of AdAttributionKit")
    }
}
