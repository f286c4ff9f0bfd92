/// Durable ingest over HTTP with tallies: the server on one core, the load generator on the other.
struct IngestPart: BenchmarkPart {
    let name = "ingest"
    let summary = "durable ingest over HTTP into an empty store"

    func run(_ bench: Bench) throws {
        let peak = try bench.peakRate()
        let reference = try bench.reference().verificationsPerSecond
        bench.board.add(
            Figure(
                name: "durable ingest over HTTP, 64 connections, server on one core ÷ `openssl` P-256 verify",
                measured: "\(peak.shown)/s",
                reference: "\(reference.shown)/s",
                value: peak / reference,
                bar: .atLeast(2)))
    }
}
