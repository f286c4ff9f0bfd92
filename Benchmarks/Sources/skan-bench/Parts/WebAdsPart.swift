/// Taps on web ads over HTTP, each of an ad of its own: the server on one core, the load generator on the other.
struct WebAdsPart: BenchmarkPart {
    let name = "web-ads"
    let summary = "taps on web ads over HTTP, signed and used up on disk, beside the ingest rate"

    func run(_ bench: Bench) throws {
        let ingest = try bench.peakRate()
        let key = try NetworkKey(skan: bench.options.skan, in: bench.workspace)
        let store = bench.workspace.file("web-ads.sqlite")
        defer {
            bench.workspace.remove(store)
            bench.workspace.remove(store + "-web-ads")
        }
        let issuer = WebAdIssuer(skan: bench.options.skan, store: store, in: bench.workspace)
        let pool = RequestPool(path: "/.well-known/skadnetwork/get-signed-payload") {
            TapMaker(nonces: try issuer.issue(RequestPool.shardSize))
        }
        let load = try ServerLoad(bench, store: store, .taps(pool), options: key.options)
        defer { load.server.stop() }
        let taps = try load.peak(name: "taps on web ads")
        bench.board.add(
            Figure(
                name: "taps on web ads, server on one core ÷ durable ingest",
                measured: "\(taps.perSecond.shown)/s, p99 \(taps.latencies.p99.shown) ms",
                reference: "\(ingest.shown)/s",
                value: taps.perSecond / ingest,
                bar: .atLeast(0.5)))
    }
}
