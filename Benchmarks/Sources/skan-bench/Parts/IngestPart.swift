/// Durable ingest over HTTP: the server on one core, the load generator on the other.
struct IngestPart: BenchmarkPart {
    let name = "ingest"
    let summary = "durable ingest over HTTP into an empty store"

    func run(_ bench: Bench) throws {
        add(
            try bench.ingestPeak(),
            "durable ingest over HTTP, server on one core ÷ `openssl` P-256 verify", bar: .atLeast(2.2), bench)
        add(try mixedPeak(bench), "the same, one postback in four of AdAttributionKit", bench)
    }

    private func add(_ peak: ComparedPhase, _ name: String, bar: Figure.Bar? = nil, _ bench: Bench) {
        bench.board.add(
            Figure(
                name: name, measured: "\(peak.operationsPerSecond.shown)/s", reference: "\(peak.reference.shown)/s",
                value: peak.ratio, bar: bar))
    }

    private func mixedPeak(_ bench: Bench) throws -> ComparedPhase {
        let pool = RequestPool(path: "/adattributionkit/postbacks") { [pem = bench.keys.p256] in
            MixedPostbackMaker(key: try SigningKey(pem: pem))
        }
        return try bench.ingestPeak(of: .postbacks(pool), name: "one in four of AdAttributionKit")
    }
}
