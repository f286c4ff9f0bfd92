import Foundation
import Glibc

/// `skan serve`, on one core unless it is given more.
final class Server {
    /// What it listens for, in the words of its log.
    enum Listener: String, CaseIterable {
        case ingress = "listening for postbacks"
        case signing = "listening for signing"
        case console = "listening for the console"
    }

    private let ports: [Listener: Int]
    private let process: ChildProcess
    /// Measures from the start of the process.
    let stopwatch: Stopwatch

    convenience init(
        skan: String, store: String, options: [String], on cores: String = "\(Core.server)", in workspace: Workspace,
        atMost limit: Double = 120
    ) throws {
        try self.init(
            [
                skan, "serve", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--store", store,
                "--log-level", "notice",
            ] + options,
            listeners: options.contains("--signing") ? Listener.allCases : [.ingress, .console], on: cores,
            in: workspace, atMost: limit)
    }

    /// Starts any server that logs its listeners as `skan serve` does.
    init(
        _ command: [String], listeners: [Listener], on cores: String, in workspace: Workspace,
        atMost limit: Double = 120
    ) throws {
        let log = workspace.file("serve.log")
        stopwatch = Stopwatch()
        process = try ChildProcess(command, on: cores, in: workspace, errors: log)
        while true {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            let ports = Self.ports(in: text)
            if ports.count == listeners.count {
                self.ports = ports
                return
            }
            guard process.poll() == nil, stopwatch.seconds < limit else {
                process.terminate()
                throw BenchmarkFailure("\(command[0]) did not begin to listen:\n\(text)")
            }
            usleep(2_000)
        }
    }

    deinit {
        stop()
    }

    /// The port of a listener.
    func port(of listener: Listener) -> Int {
        // Each has one, or there would be no server.
        ports[listener] ?? 0
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

    private static func ports(in log: String) -> [Listener: Int] {
        var ports: [Listener: Int] = [:]
        for line in log.split(separator: "\n") {
            let address = line.split(separator: " ").first { $0.hasPrefix("address=") }
            if let listener = Listener.allCases.first(where: { line.contains($0.rawValue) }),
                let port = address?.split(separator: ":").last.flatMap({ Int($0) })
            {
                ports[listener] = port
            }
        }
        return ports
    }
}
