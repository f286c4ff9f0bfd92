import ArgumentParser
import Attribution
import AttributionHarness
import AttributionServer
import Foundation
import Logging
import Platform
import SQLiteStore

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Make two months of data and serve the page that shows it.",
        discussion: """
            Plays a network with three apps for 60 days that end now, signed with test keys, records what devices have \
            sent by now and what the ads cost, and serves postbacks and the page until it is stopped: the last 30 days \
            beside those before, with names of campaigns and a schema of conversion values. The page shows this test \
            traffic and says so. Nothing leaves the machine. Without --folder everything is made in a temporary folder \
            and removed at the end; a folder is kept, and used as it is the next time.

            EXAMPLE
              skan demo
              skan demo --folder demo --console 127.0.0.1:9091
            """
    )

    @Option(help: "Keep store and test keys in this folder.", completion: .directory)
    var folder: String?

    @Option(help: "HOST:PORT for devices (default 127.0.0.1:8080).")
    var listen: ListenAddress?

    @Option(help: "HOST:PORT for the page (default 127.0.0.1:8081); the host must be this machine.")
    var console: ListenAddress?

    @Option(help: "Decides what is made.")
    var seed: UInt64 = 1

    func run() async throws {
        if let console, !console.isLoopback {
            throw CommandFailure(
                "--console \(console): the demo has no tokens, and its page listens on this machine alone",
                hint: "use 127.0.0.1:PORT and a tunnel")
        }
        let folder =
            self.folder ?? FileManager.default.temporaryDirectory.appendingPathComponent("skan-demo-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer {
            if self.folder == nil {
                try? FileManager.default.removeItem(atPath: folder)
            }
        }
        let store = "\(folder)/demo.sqlite"
        var configuration = ServerConfiguration(store: store)
        configuration.listen = listen ?? configuration.listen
        configuration.console = console ?? configuration.console
        configuration.testKeys = ["p192", "p256"].map { "\(folder)/keys/test-\($0).public.pem" }
        configuration.schemas = ["\(folder)/schema.json"]
        configuration.campaigns = ["\(folder)/campaigns.json"]
        configuration.networks = try Scenario.demo().ownNetworks
        configuration.pageTraffic = .test
        configuration.programVersion = Skan.version
        configuration.descriptors = DescriptorLimit.raise()
        let standIn = try AppleStandIn(folder: "\(folder)/keys")
        for (file, bytes) in [("schema.json", Scenario.demoSchema), ("campaigns.json", Scenario.demoNames)]
        where !FileManager.default.fileExists(atPath: "\(folder)/\(file)") {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(file)"))
        }
        if !FileManager.default.fileExists(atPath: store) {
            Terminal.say("skan: making two months of test data, which takes some seconds")
            try await record(in: store, standIn)
        }
        let process = ServerProcess(logLevel: .warning, logFormat: .text)
        defer { process.flush() }
        let server = try Server(configuration, metrics: process.metrics, logger: process.logger) { event in
            if case .consoleListening(let address) = event {
                Terminal.say("skan: the page is at http://\(address)/ (test traffic); Control-C ends the demo")
            }
        }
        try await process.run(server)
    }

    /// Records the months, under another name until it is complete.
    private func record(in store: String, _ standIn: AppleStandIn) async throws {
        let scenario = try Scenario.demo()
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let today = CalendarDay(containing: now, in: .gmt)
        let start = today.advanced(by: Int64(1 - scenario.days))
        let world = World(scenario, start: start, seed: seed)
        var run = try ScenarioRun(world, seed: seed, standIn: standIn)
        let unfinished = "\(store).unfinished"
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: unfinished + suffix)
        }
        let feed = try StoreFeed(unfinished, trusting: standIn)
        do {
            _ = try await run.record(in: feed, through: now)
            try feed.record(ScenarioCosts(world, through: now))
        } catch {
            _ = try? feed.ledger.close()
            throw error
        }
        try feed.ledger.close()
        try FileManager.default.moveItem(atPath: unfinished, toPath: store)
    }
}
