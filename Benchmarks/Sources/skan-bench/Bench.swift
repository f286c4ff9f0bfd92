/// What the parts share: the options, the workspace, the references, the requests and the stores, each made once and
/// only when asked for.
final class Bench {
    let options: BenchmarkOptions
    let workspace: Workspace
    let keys: TestKeys
    /// Postbacks signed with the test key on P-256.
    let pool: RequestPool
    var board = Scoreboard()
    private(set) lazy var stores = StoreShelf(self)
    private var references: [String: OpenSSLSpeed] = [:]
    private var peak: ComparedPhase?

    init(_ options: BenchmarkOptions, _ workspace: Workspace) throws {
        self.options = options
        self.workspace = workspace
        keys = try TestKeys(in: workspace)
        pool = RequestPool(path: "/skadnetwork/postbacks") { [pem = keys.p256] in
            PostbackMaker(.current, key: try SigningKey(pem: pem))
        }
        board.note(
            """
            traffic: unique valid postbacks of 3.0 and 4.0, \(PostbackShape.apps) apps with \
            \(PostbackShape.campaigns) campaigns each, \(PostbackShape.sourceApps) source apps, drawn evenly
            """)
    }

    /// The reference on a curve, `ecdsap256` or `ecdsap192`.
    func reference(_ algorithm: String = "ecdsap256") throws -> OpenSSLSpeed {
        if let speed = references[algorithm] {
            return speed
        }
        let speed = try OpenSSLSpeed(algorithm, in: workspace)
        board.note(
            """
            openssl speed \(algorithm), one core: verify \(speed.verificationsPerSecond.shown)/s, \
            sign \(speed.signaturesPerSecond.shown)/s
            """)
        references[algorithm] = speed
        return speed
    }

    /// The most postbacks a second that an empty store takes over 64 connections.
    func peakRate() throws -> Double {
        try ingestPeak().operationsPerSecond
    }

    /// The same beside what OpenSSL verifies.
    func ingestPeak() throws -> ComparedPhase {
        if let peak {
            return peak
        }
        try noteDisk()
        let phase = try ingestPeak(of: .postbacks(pool), name: "empty store")
        try noteDisk()
        peak = phase
        return phase
    }

    /// The most of some postbacks a second that an empty store takes over 64 connections, beside what OpenSSL verifies.
    func ingestPeak(of workload: Workload, name: String) throws -> ComparedPhase {
        let store = workspace.file("peak.sqlite")
        defer { workspace.remove(store) }
        let load = try ServerLoad(self, store: store, workload)
        defer { load.server.stop() }
        return try load.peak(name: name, against: \.verificationsPerSecond)
    }

    /// Notes how fast the disk is, for every commit waits for it; one with a budget of operations slows down under load.
    private func noteDisk() throws {
        let file = workspace.file("disk")
        defer { workspace.remove(file) }
        let times = try SyncProbe.milliseconds(file)
        board.note(
            "the disk takes \(times.median.shown) ms (median) to sync a page, at most \((times.max() ?? 0).shown) ms")
    }

    /// A caveat when fewer postbacks than the bar speaks of were used.
    func caveat(_ count: Int, bar: Int = BenchmarkOptions.fullRows) -> String {
        count < bar ? "with \(count.shown); the bar speaks of \(bar.shown)" : ""
    }
}
