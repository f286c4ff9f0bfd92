import Foundation
import Glibc

/// `skan serve` on one core.
final class Server {
    let port: Int
    private let process: ChildProcess
    /// Measures from the start of the process.
    let stopwatch: Stopwatch

    init(
        skan: String, store: String, keys: TestKeys, in workspace: Workspace, atMost limit: Double = 120
    ) throws {
        let log = workspace.file("serve.log")
        stopwatch = Stopwatch()
        process = try ChildProcess(
            [
                skan, "serve", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--store", store,
                "--log-level", "notice",
            ] + keys.trust, on: "\(Core.server)", in: workspace, errors: log)
        while true {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            if let port = Self.port(in: text) {
                self.port = port
                return
            }
            guard process.poll() == nil, stopwatch.seconds < limit else {
                process.terminate()
                throw BenchmarkFailure("skan serve did not begin to listen:\n\(text)")
            }
            usleep(2_000)
        }
    }

    deinit {
        stop()
    }

    /// What it had resident at most counts from now.
    func resetPeak() throws {
        try ProcessFigures.resetPeak(of: process.pid)
    }

    func figures() throws -> ProcessFigures {
        try ProcessFigures(process.pid)
    }

    func stop() {
        process.terminate()
    }

    private static func port(in log: String) -> Int? {
        let line = log.split(separator: "\n").first { $0.hasSuffix("listening for postbacks") }
        let address = line?.split(separator: " ").first { $0.hasPrefix("address=") }
        return address.flatMap { $0.split(separator: ":").last }.flatMap { Int($0) }
    }
}
