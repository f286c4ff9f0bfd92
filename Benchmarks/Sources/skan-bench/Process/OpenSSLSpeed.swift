/// What `openssl speed` reaches on one core: the references of the bars.
struct OpenSSLSpeed {
    let verificationsPerSecond: Double
    let signaturesPerSecond: Double

    /// Runs it for some seconds of each operation; `algorithm` is `ecdsap256` or `ecdsap192`.
    ///
    /// On both cores it runs once on each, and the rates are added up.
    init(_ algorithm: String, seconds: Int = 3, onBoth: Bool = false, in workspace: Workspace) throws {
        let text = try ChildProcess.output(
            of: ["openssl", "speed", "-seconds", "\(seconds)"] + (onBoth ? ["-multi", "2"] : []) + [algorithm],
            on: onBoth ? Core.both : "\(Core.server)", in: workspace)
        let line = text.split(separator: "\n").last { $0.contains("bits ecdsa") }
        let numbers = line?.split(separator: " ").suffix(2).compactMap { Double($0) } ?? []
        guard numbers.count == 2 else {
            throw BenchmarkFailure("openssl speed \(algorithm): found no figures in its output")
        }
        signaturesPerSecond = numbers[0]
        verificationsPerSecond = numbers[1]
    }
}
