/// What the parts share: the options, the workspace, the references, the requests and the stores, each made once and
/// only when asked for.
final class Bench {
    let options: BenchmarkOptions
    let workspace: Workspace
    let keys: TestKeys
    let pool: RequestPool
    var board = Scoreboard()
    private(set) lazy var stores = StoreShelf(self)
    private var references: [String: OpenSSLSpeed] = [:]
    private var peak: Double?

    init(_ options: BenchmarkOptions, _ workspace: Workspace) throws {
        self.options = options
        self.workspace = workspace
        keys = try TestKeys(in: workspace)
        pool = RequestPool(pem: keys.p256)
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
        if let peak {
            return peak
        }
        let store = workspace.file("peak.sqlite")
        defer { workspace.remove(store) }
        let load = try ServerLoad(self, store: store)
        defer { load.server.stop() }
        try load.warmUp()
        let rates = try (1...3).map { round in
            try load.run(LoadPlan(seconds: options.seconds), name: "empty store, 64 connections, run \(round)")
                .perSecond
        }
        // The best: whatever else uses the machine or its disk can only slow it down.
        let best = rates.max() ?? 0
        peak = best
        return best
    }

    /// A caveat when fewer postbacks than the bar speaks of were used.
    func caveat(_ count: Int, bar: Int) -> String {
        count < bar ? "with \(count.shown); the bar speaks of \(bar.shown)" : ""
    }
}
